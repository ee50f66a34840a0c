import { denialOfFunction, denialOfRelation, isDynamic } from '../denials.ts';
import { deniedBuiltins } from '../denied-builtins.ts';
import { deniedExtensions, deniedSchemas } from '../denied-extensions.ts';
import { deniedRelations } from '../denied-relations.ts';
import { type Body, longestBody } from './bodies.ts';
import { commands } from './body.ts';
import { catalogs } from './describe-sql.ts';
import { finders, runners } from './dynamic.ts';
import type { Found } from './node.ts';
import type { Reach } from './reach.ts';
import type { BodyReader } from './reading.ts';

const groups = [...deniedBuiltins, ...deniedExtensions];

/** Extensions and libraries that are denied whole. */
const deniedLibraries = [
  ...['dblink', 'adminpack', 'pg_surgery', 'pg_background', 'odbclink', 'plsh', 'amqp', 'pg_amqp', 'set_user'],
  ...['pgmemcache', 'pg_repack', 'pg_squeeze', 'pldbgapi', 'plugin_debugger', 'pg_bulkload'],
];

/** Libraries whose functions were made without an extension, as it was done once. */
const knownLibraries =
  /^(?:_int|autoinc|bloom|btree_gin|btree_gist|chkpass|citext|cube|dict_int|dict_xsyn|earthdistance|fuzzystrmatch|hll|hstore|intagg|ip4r|isn|libpgrouting[-\w.]*|lo|ltree|moddatetime|pg_trgm|pgcrypto|pgxml|plpgsql|postgis[-\w.]*|rtpostgis[-\w.]*|rum|seg|sslinfo|tablefunc|tcn|timescaledb[-\w.]*|tsearch2|tsm_system_\w+|unaccent|uuid-ossp|vector)$/;

export const seedParams: readonly string[] = [
  formatList([...groups.flatMap(({ names = [] }) => names), ...finders]),
  formatList(groups.flatMap(({ prefixes = [] }) => prefixes)),
  formatList(
    groups.flatMap(({ names = [], unlessArgs }) =>
      unlessArgs === undefined ? [] : names.map((name) => `${name}/${unlessArgs}`),
    ),
  ),
  formatList([...deniedSchemas.keys()]),
  formatList(deniedRelations.map(({ schema, name }) => `${schema}.${name}`)),
  formatList(deniedLibraries),
];

/** Names without quotes in them. */
function formatList(names: readonly string[]): string {
  return `{${names.map((name) => `"${name}"`).join(',')}}`;
}

/** What says most comes first. */
const ranks = ['named', 'alias', 'symbol', 'language', 'library', 'code'];

export function sortSeeds(seeds: readonly Found[]): readonly Found[] {
  return seeds.toSorted((a, b) => ranks.indexOf(a.how) - ranks.indexOf(b.how));
}

export function reasonOfSeed({
  class: objectClass,
  how,
  detail,
  description: { schema = '', name = '' },
}: Found): string | undefined {
  if (how === 'named' && objectClass === catalogs.relation)
    return denialOfRelation({ schema, name })?.reason ?? 'is not for reading';
  if (finders.has(name)) return 'finds what it reads at run time';
  if (how === 'named') return denialOfFunction(schema, name)?.reason ?? denialOfFunction(undefined, name)?.reason ?? 'is denied';
  if (how === 'alias' || how === 'symbol') return `is ${detail} by another name, and that ${reasonOf(detail)}`;
  if (how === 'library') return `belongs to ${detail}, which reaches around transactions`;
  if (how === 'language') return `is written in ${detail}, which can do whatever the server can`;
  if (how === 'file') return 'reads a file or runs a program of the server';
  return knownLibraries.test(detail.replace(/^.*\//, '').replace(/\.\w+$/, ''))
    ? undefined
    : `is C code of ${detail || 'nowhere'} and of no extension: nobody knows what it does`;
}

function reasonOf(name: string): string {
  if (finders.has(name)) return 'finds what it reads at run time';
  return denialOfFunction(undefined, name)?.reason ?? 'is denied';
}

/** Every word that can make a body more than a read; most bodies have none of them. */
const suspicious = new RegExp(
  String.raw`\b(?:${[
    ...groups.flatMap(({ names = [], prefixes = [] }) => [...names, ...prefixes]),
    ...finders,
    ...deniedRelations.map(({ name }) => name),
    ...deniedSchemas.keys(),
    ...[...commands].map((command) => String.raw`${command}\b`),
    'execute',
    'spi_',
    'plv8',
    'uescape',
    'u&',
  ].join('|')})|\\`,
  'i',
);

export function isSuspicious({ text }: Body): boolean {
  return suspicious.test(text) || text.length > longestBody;
}

/** What a body does that can be seen in its text. */
export function judgeText(body: Body, reader: BodyReader): string | undefined {
  if (!isSuspicious(body)) return undefined;
  const { uses: used, command, tooDeep } = reader.read(body);
  if (tooDeep) return 'has SQL in strings in strings, deeper than it is read';
  if (command !== undefined) return `runs ${command.toUpperCase()}`;
  for (const [name, uses] of used.functions) {
    if (runners.has(name)) continue;
    const denial = uses.map(({ schema }) => denialOfFunction(schema, name)).find((found) => found !== undefined);
    if (denial !== undefined) return `calls ${name}(), which ${denial.reason}`;
  }
  const runner = [...used.fields.keys()].find((name) => runners.has(name));
  if (runner !== undefined) return `calls ${runner}(), which runs SQL that it gets as a string`;
  for (const [name, uses] of used.relations) {
    const denial = uses.map(({ schema }) => denialOfRelation({ schema, name })).find((found) => found !== undefined);
    if (denial !== undefined) return `reads ${name}, which ${denial.reason}`;
  }
  return undefined;
}

/** Whoever calls it can have it do what the guard would refuse him. */
export function judgeGiven(body: Body, reader: BodyReader): string | undefined {
  return isSuspicious(body) && reader.read(body).given ? 'runs SQL that it is given' : undefined;
}

export interface Rights {
  readonly reach: Reach;
  readonly reader: BodyReader;
  readonly byName: ReadonlyMap<string, readonly Body[]>;
}

/** What it may do beyond its text, with the rights that it has. */
export function judgeRights(body: Body, { reach, reader, byName }: Rights): string | undefined {
  const puts = 'runs SQL that it puts together at run time, and';
  const isAnything = runsAnything(body, reader);
  if (isAnything && reach.own !== undefined) return `${puts} this user ${reach.own}`;
  const owner = body.definer === undefined ? undefined : reach.roles.get(body.definer);
  if (owner === undefined) return undefined;
  if (isAnything) return `${puts} its owner, with whose rights it runs, ${owner}`;
  return callsAnything(body, reader, byName) ? `calls what ${puts} its owner, with whose rights it runs, ${owner}` : undefined;
}

export function runsAnything(body: Body, reader: BodyReader): boolean {
  return isSuspicious(body) && reader.read(body).verdict === 'anything';
}

/** Whether it reads what it is told, and not what is in its text. */
export function findsThings(body: Body, reader: BodyReader): boolean {
  if (!isSuspicious(body)) return false;
  const { verdict, uses } = reader.read(body);
  if (verdict !== 'fixed') return true;
  return [...finders].some((name) => uses.functions.get(name)?.some(({ schema }) => isDynamic({ schema, name })));
}

/** Whether it reads columns that it is told the names of. */
export function findsFields(body: Body, reader: BodyReader): boolean {
  return isSuspicious(body) && reader.read(body).fields;
}

/** Whether anything that it calls, or that they call, runs SQL that nobody has seen. */
function callsAnything(body: Body, reader: BodyReader, byName: ReadonlyMap<string, readonly Body[]>): boolean {
  const seen = new Set<Body>();
  for (const pending = [body]; pending.length > 0; ) {
    const next = pending.pop();
    if (next === undefined || seen.has(next)) continue;
    seen.add(next);
    if (runsAnything(next, reader)) return true;
    for (const name of reader.read(next).uses.functions.keys()) pending.push(...(byName.get(name) ?? []));
  }
  return false;
}
