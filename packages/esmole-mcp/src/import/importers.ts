import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Findings, type FoundConnection, type Importer, type ImportPlace, readSmallFile, UrlError } from '@dbmole/core';
import { parseCloudId, parseConnectionUrl, type UrlFields } from '../connection/connection-url.ts';
import { publicView } from '../connection/schema.ts';

const environmentImporter: Importer = { source: 'environment', find: ({ env }) => findIn(env, { env, where: '' }) };

/**
 * Reads the .env file of the working directory. It may have come with a cloned repository: its content is shown, and never followed.
 */
const dotEnvImporter: Importer = { source: '.env', takesPath: true, find: findInDotEnv };

/** If both know a cluster, the first one counts: what is in the environment need not be copied. */
export const importers: readonly Importer[] = [environmentImporter, dotEnvImporter];

function findInDotEnv({ env, cwd, path = join(cwd, '.env') }: ImportPlace): Findings {
  const image = readSmallFile(path);
  return image === undefined ? { found: [], notes: [] } : findIn(parseEnv(image.bytes.toString('utf8')), { env, where: path });
}

type Variables = Readonly<Record<string, string | undefined>>;

interface Origin {
  /** The environment itself: what is set there need not be copied. */
  env: Variables;
  /** The file; empty for the environment. */
  where: string;
}

/** `ELASTICSEARCH_URL`, `SHOP_ES_URL`, `ES_LOCAL_URL`, `ELASTIC_CLOUD_ID` and the like. */
const placeName =
  /^(?:(?<before>.+)_)?(?<family>ELASTICSEARCH|ELASTIC|ES|OPENSEARCH)(?:_(?<after>[A-Z0-9_]+?))?_(?<kind>UR[LI]|ENDPOINT|HOSTS?|NODE|CLOUD_ID)$/;
/** Names for one product: a URL under one of them is often beside the key under another. */
const families = ['ELASTICSEARCH', 'ELASTIC', 'ES', 'OPENSEARCH'];
const keyNames = ['API_KEY', 'APIKEY'];
const userNames = ['USERNAME', 'USER'];

function findIn(variables: Variables, origin: Origin): Findings {
  const found: FoundConnection[] = [];
  const notes: string[] = [];
  for (const name of Object.keys(variables)) {
    const place = findPlace(name, setIn(variables, name));
    if (place === undefined) continue;
    const one = fromPlace(place, { variables, origin });
    if (typeof one === 'string') notes.push(`${origin.where || 'the environment'}: ${name}: ${one}`);
    else found.push(one);
  }
  return { found, notes };
}

/** A variable that says where a cluster is. */
interface Place {
  variable: string;
  value: string;
  isCloudId: boolean;
  /** The name of the connection. */
  name: string;
  /** Prefixes of the variables of its credentials, the likeliest first. */
  stems: readonly string[];
}

function findPlace(variable: string, value: string | undefined): Place | undefined {
  const { before, family, after, kind } = placeName.exec(variable)?.groups ?? {};
  if (value === undefined || family === undefined) return undefined;
  const isCloudId = kind === 'CLOUD_ID';
  if (!isCloudId && !/^https?:\/\//i.test(value)) return undefined;
  const all = [family, ...families.filter((one) => one !== family)];
  const stems = all.map((one) => [before, one, after].filter((part) => part !== undefined).join('_'));
  return { variable, value, isCloudId, name: (before ?? after ?? 'elasticsearch').toLowerCase(), stems };
}

interface Beside {
  variables: Variables;
  origin: Origin;
}

/** Why it is left out, when it is. */
function fromPlace(place: Place, { variables, origin }: Beside): FoundConnection | string {
  const parsed = parse(place);
  if (typeof parsed === 'string') return parsed;
  const { password: inUrl, ...address } = parsed;
  const login = inUrl === undefined ? readLogin(place, address.user, variables) : { user: address.user, secret: undefined };
  if (login === undefined) return missingLogin(place);
  const { user, secret } = login;
  const plain = { ...address, ...(user === undefined ? {} : { user }) };
  if ([place.value, user, secret?.value].some((text) => text?.includes('${'))) return 'other variables are in it';
  const shown = publicView({ ...plain, ...(secret?.field === 'apiKey' && { apiKey: '' }) });
  const holder = secret?.variable ?? place.variable;
  if (isSet(origin.env, variables, [place.variable, holder])) {
    const stays = { name: place.name, shown, password: `read from the variable ${holder}` };
    if (secret === undefined) return { ...stays, fields: {}, references: { url: `\${${place.variable}}` } };
    return { ...stays, fields: plain, references: { [secret.field]: { env: secret.variable } } };
  }
  const fields = { ...plain, ...(secret === undefined ? { password: inUrl } : { [secret.field]: secret.value }) };
  const password = `will be copied from ${origin.where || holder}`;
  return { name: place.name, fields, references: {}, shown, password, copies: true };
}

function parse({ value, isCloudId }: Place): UrlFields | string {
  try {
    return isCloudId ? { type: 'elasticsearch', scheme: 'https', ...parseCloudId(value) } : parseConnectionUrl(value);
  } catch (error) {
    if (error instanceof UrlError) return error.message;
    throw error;
  }
}

interface Login {
  user: string | undefined;
  secret: { field: 'apiKey' | 'password'; variable: string; value: string };
}

/** A key before a password: it can do less, as a rule. */
function readLogin({ stems }: Place, userOfUrl: string | undefined, variables: Variables): Login | undefined {
  const first = (names: readonly string[]) =>
    stems
      .flatMap((stem) => names.map((name) => `${stem}_${name}`))
      .map((variable) => ({ variable, value: setIn(variables, variable) }))
      .find(({ value }) => value !== undefined);
  const key = userOfUrl === undefined ? first(keyNames) : undefined;
  if (key?.value !== undefined) return { user: undefined, secret: { field: 'apiKey', variable: key.variable, value: key.value } };
  const password = first(['PASSWORD']);
  if (password?.value === undefined) return undefined;
  // That is the variable's meaning: the password of the user of this name.
  const builtIn = password.variable === 'ELASTIC_PASSWORD' ? 'elastic' : undefined;
  const user = userOfUrl ?? first(userNames)?.value ?? builtIn;
  if (user === undefined) return undefined;
  return { user, secret: { field: 'password', variable: password.variable, value: password.value } };
}

function missingLogin({ stems: [stem = ''] }: Place): string {
  const missing = `neither ${stem}_API_KEY nor ${stem}_USERNAME and ${stem}_PASSWORD`;
  return `no credentials are given: ${missing}; for a cluster without security, run "connections add NAME URL auth=none"`;
}

/** Whether the environment has the same values. */
function isSet(env: Variables, variables: Variables, names: readonly string[]): boolean {
  return names.every((name) => setIn(env, name) !== undefined && setIn(env, name) === setIn(variables, name));
}

/** Reads an own property that is not empty. */
function setIn(variables: Variables, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name]?.trim() || undefined : undefined;
}
