import { CutString, Failure, failureWith } from '@dbmole/core';
import type { ClusterCall } from '../call/cluster-call.ts';
import { type FieldCaps, readFieldCaps } from '../mapping/read-field-caps.ts';
import { refuseField } from '../policy/refuse-field.ts';
import { isObject } from '../search/hit-table.ts';

/** Names of fields by the habits of shippers and loggers, best first. */
const messageNames = split(
  'message log msg body.text body event.original log.message short_message full_message @message Message MESSAGE Body text textPayload',
);
const timeNames = split(
  '@timestamp timestamp time ts date datetime event.created event.ingested Timestamp eventTime observed_timestamp created_at createdAt',
);
const levelNames = split(
  'log.level level severity_text severity loglevel log_level levelname lvl Level SeverityText severityText log.syslog.severity.name',
);
const dates: ReadonlySet<string> = new Set(['date', 'date_nanos']);
const texts: ReadonlySet<string> = new Set(['text', 'match_only_text']);
const keywords: ReadonlySet<string> = new Set(['keyword', 'wildcard']);

/** The fields of log lines in some indices. */
export interface LogFields {
  readonly time: string;
  /** Fields that may hold the line, best first. */
  readonly messages: readonly string[];
  readonly levels: readonly string[];
  readonly caps: FieldCaps;
}

/** How the words of a message can be searched. */
export interface SearchField {
  readonly name: string;
  readonly kind: 'text' | 'keyword';
}

interface Asked {
  readonly index: string | undefined;
  readonly field: string | undefined;
  readonly timeField: string | undefined;
}

export async function findLogFields(call: ClusterCall, { index, field, timeField }: Asked): Promise<LogFields> {
  const messages = field === undefined ? messageNames : [field];
  const times = timeField === undefined ? timeNames : [timeField];
  const names = [...messages.flatMap((name) => [name, `${name}.*`]), ...times, ...levelNames];
  const caps = await readCaps(call, index, names.join(','));
  const time = times.find((name) => hasType(caps, name, dates)) ?? (await findOnlyDate(call, index, timeField));
  const found = {
    messages: messages.filter((name) => field !== undefined || hasValues(caps, name)),
    levels: levelNames.filter((name) => hasValues(caps, name)),
  };
  return { time, ...(await withoutProtected(call, index, { time, ...found })), caps };
}

type Names = Pick<LogFields, 'messages' | 'levels'>;

/** A masked line has no pattern. It is refused here, because the words of one would be searched for. */
async function withoutProtected(call: ClusterCall, index: string | undefined, found: Names & { time: string }): Promise<Names> {
  const table = await call.lease.backend.fields?.readTable({ names: index }, call.ask);
  if (table === undefined) return found;
  const isOpen = (name: string) => table.findValues(name) === undefined;
  const messages = found.messages.filter(isOpen);
  const hidden = [found.time, ...(messages.length === 0 ? found.messages : [])].find((name) => !isOpen(name));
  if (hidden !== undefined) throw refuseField(`the patterns would show values of the protected field ${hidden}`);
  return { messages, levels: found.levels.filter(isOpen) };
}

async function readCaps(call: ClusterCall, index: string | undefined, fields: string): Promise<FieldCaps> {
  const found = await readFieldCaps(call, index, { fields, filter_path: 'fields.*.*.type,fields.*.*.searchable' });
  return found?.fields ?? new Map();
}

/** The fallback is any date field; which one is in the answer. */
async function findOnlyDate(call: ClusterCall, index: string | undefined, wanted: string | undefined): Promise<string> {
  const all = wanted === undefined ? await readCaps(call, index, '*') : new Map();
  const dated = [...all.keys()].filter((name) => hasType(all, name, dates));
  const [first] = dated.sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
  if (first !== undefined) return first;
  // Every index has fields of its own, such as _id.
  if (wanted === undefined && all.size === 0 && index !== undefined)
    throw failureWith(await call.unknownIndex(index.replaceAll('*', '')), {
      message: `no index matches ${JSON.stringify(index)}`,
    });
  const what = wanted === undefined ? 'no date field was found' : `${JSON.stringify(wanted)} is not a date field`;
  throw new Failure('input', `${what} in ${index ?? 'the indices'}, and a window needs one`, {
    code: 'E_NO_TIME_FIELD',
    hint: [{ call: 'es_get_mapping', run: 'mapping CONNECTION INDEX', to: 'see the fields' }, 'Pass its name as `time_field`.'],
  });
}

/** How the messages in a field are searched: as text where there is one, by the field itself or by one of its multi-fields. */
export function findSearchField({ caps }: LogFields, message: string): SearchField | undefined {
  const names = [message, ...[...caps.keys()].filter((name) => name.startsWith(`${message}.`)).sort()];
  const isSearchable = (name: string, types: ReadonlySet<string>) =>
    [...types].some((type) => {
      const about = caps.get(name)?.[type];
      return isObject(about) && about.searchable !== false;
    });
  const text = names.find((name) => isSearchable(name, texts));
  if (text !== undefined) return { name: text, kind: 'text' };
  const keyword = names.find((name) => isSearchable(name, keywords));
  return keyword === undefined ? undefined : { name: keyword, kind: 'keyword' };
}

function hasType(caps: FieldCaps, name: string, types: ReadonlySet<string>): boolean {
  return Object.keys(caps.get(name) ?? {}).some((type) => types.has(type));
}

/** An object has values only inside. */
function hasValues(caps: FieldCaps, name: string): boolean {
  return Object.keys(caps.get(name) ?? {}).some((type) => type !== 'object' && type !== 'nested' && type !== 'unmapped');
}

/** The text at a path of a document, whose keys may have dots themselves. */
export function readText(source: unknown, path: string): string | undefined {
  const value = readPath(source, path);
  const one = Array.isArray(value) ? value[0] : value;
  if (one instanceof CutString) return one.text;
  if (typeof one === 'number') return String(one);
  return typeof one === 'string' && one.trim() !== '' ? one : undefined;
}

function readPath(source: unknown, path: string): unknown {
  if (!isObject(source)) return undefined;
  if (source[path] !== undefined) return source[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const inner = readPath(source[path.slice(0, dot)], path.slice(dot + 1));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The longest text of a document with more than one word: the line, where no field has a usual name. */
export function findLongestText(source: unknown): string | undefined {
  const texts = listTexts(source, '').filter(({ text }) => /\S\s+\S/.test(text));
  return texts.sort((one, other) => other.text.length - one.text.length)[0]?.path;
}

function listTexts(value: unknown, path: string): { path: string; text: string }[] {
  if (value instanceof CutString) return [{ path, text: value.text }];
  if (typeof value === 'string') return [{ path, text: value }];
  return Object.entries(isObject(value) ? value : {}).flatMap(([key, inner]) =>
    listTexts(inner, path === '' ? key : `${path}.${key}`),
  );
}

const levelWord =
  /\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|CRIT(?:ICAL)?|FATAL|SEVERE|ALERT|EMERG|PANIC)\b|\blevel"?[=:]\s?"?([A-Za-z]{3,9})\b/;
const headLength = 200;
const maxLevelLength = 10;

/** The level of a line in upper case: of its own field, or as written at the beginning of the line. */
export function readLevel(source: unknown, names: readonly string[], message: string): string | undefined {
  for (const name of names) {
    const level = readText(source, name);
    if (level !== undefined) return level.slice(0, maxLevelLength).toUpperCase();
  }
  const [, word, given] = levelWord.exec(message.slice(0, headLength)) ?? [];
  return (word ?? given)?.toUpperCase();
}

function split(names: string): readonly string[] {
  return names.split(' ');
}
