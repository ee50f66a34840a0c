import { type Fields, isFields } from '@dbmole/core';

interface ClientForm {
  id: string;
  envKey?: string;
  envList?: string;
}

/** References of clients to variables of their own, in the form of our file. */
const references: readonly RegExp[] = [/\$\{env:([A-Za-z_]\w*)\}/g, /\{env:([A-Za-z_]\w*)\}/g];

/** A client's entry in our form; a text says why it cannot be written so. */
export function convertEntry(entry: Fields, { id, envKey = 'env', envList }: ClientForm): Fields | string {
  if (JSON.stringify(entry).includes('${input:'))
    return 'it asks for an input, which a file cannot hold; use {"env": "NAME"} instead';
  const url = entry.url ?? entry.httpUrl ?? entry.serverUrl;
  const converted = typeof url === 'string' ? convertRemote(entry, url) : convertStart(entry, { envKey, envList });
  if (typeof converted === 'string') return converted;
  const isOff = entry.enabled === false || entry.disabled === true;
  const plain = mapTexts({ ...converted, ...(isOff && { enabled: false }) }, (text) => toOurReference(text, id));
  return isFields(plain) ? plain : 'it has an unknown form';
}

function convertStart(entry: Fields, { envKey, envList }: { envKey: string; envList: string | undefined }): Fields | string {
  const [command, ...first] = Array.isArray(entry.command) ? entry.command : [entry.command];
  if (typeof command !== 'string' || command === '') return 'it has neither a command nor a URL';
  const args = [...first, ...(Array.isArray(entry.args) ? entry.args : [])].map(String);
  const listed = envList === undefined ? [] : entry[envList];
  const passed = (Array.isArray(listed) ? listed : [])
    .filter((name) => typeof name === 'string')
    .map((name) => [name, `\${${name}}`]);
  const env = { ...Object.fromEntries(passed), ...(isFields(entry[envKey]) && entry[envKey]) };
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(typeof entry.cwd === 'string' && { cwd: entry.cwd }),
  };
}

function convertRemote(entry: Fields, url: string): Fields | string {
  if (entry.type === 'sse') return 'it uses the old SSE transport, which the hub does not speak';
  const given = entry.headers ?? entry.http_headers;
  const { bearer_token_env_var: variable } = entry;
  const headers = {
    ...(isFields(given) && given),
    ...(typeof variable === 'string' && { Authorization: `Bearer \${${variable}}` }),
  };
  return { url, ...(Object.keys(headers).length > 0 && { headers }) };
}

function toOurReference(text: string, client: string): string {
  const common = references.reduce((changed, pattern) => changed.replace(pattern, '$${$1}'), text);
  // Gemini writes a variable without braces as well.
  return client === 'gemini' ? common.replace(/\$([A-Za-z_]\w*)/g, '$${$1}') : common;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)]));
}
