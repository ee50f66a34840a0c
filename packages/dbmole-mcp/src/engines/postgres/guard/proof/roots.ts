import { denialOfFunction, denialOfRelation } from '../denials.ts';
import { deniedBuiltins, dynamicBuiltins } from '../denied-builtins.ts';
import { deniedExtensions, deniedSchemas, dynamicExtensions } from '../denied-extensions.ts';
import { deniedRelations } from '../denied-relations.ts';
import type { Found } from './catalog-object.ts';
import { catalogs } from './describe-sql.ts';

const groups = [...deniedBuiltins, ...deniedExtensions];

/** What these find at run time counts once there is something that must not be found. */
export const finders: ReadonlySet<string> = new Set([...dynamicBuiltins, ...dynamicExtensions]);

/** Extensions and libraries that are denied whole. */
const deniedLibraries = [
  ...['dblink', 'adminpack', 'pg_surgery', 'pg_background', 'odbclink', 'plsh', 'amqp', 'pg_amqp', 'set_user'],
  ...['pgmemcache', 'pg_repack', 'pg_squeeze', 'pldbgapi', 'plugin_debugger', 'pg_bulkload'],
];

/** Functions in C under other names than those in SQL. */
const deniedSymbols = ['connectby_text', 'connectby_text_serial', 'accept_weak_input'];

/** Of 14 to 18, as initdb leaves them: internal functions with a symbol of another name. */
const internals = [
  'is_normalized=unicode_is_normalized',
  'normalize=unicode_normalize_func',
  'pg_current_logfile=pg_current_logfile_1arg',
  'random_normal=drandom_normal',
];

const libraries = [
  '$libdir/plpgsql plpgsql_call_handler',
  '$libdir/plpgsql plpgsql_inline_handler',
  '$libdir/plpgsql plpgsql_validator',
  '$libdir/dict_snowball dsnowball_init',
  '$libdir/dict_snowball dsnowball_lexize',
];

/** In SQL as text. Each casts to text, which a statement that calls them shows. */
const texts = [
  'quote_literal=select pg_catalog.quote_literal($1::pg_catalog.text)',
  'quote_nullable=select pg_catalog.quote_nullable($1::pg_catalog.text)',
  'textanycat=select $1 || $2::pg_catalog.text',
  'anytextcat=select $1::pg_catalog.text || $2',
];

export const rootParams: readonly string[] = [
  formatList([...groups.flatMap(({ names = [] }) => names), ...finders, ...deniedSymbols]),
  formatList(groups.flatMap(({ prefixes = [] }) => prefixes)),
  formatList(
    groups.flatMap(({ names = [], unlessArgs }) =>
      unlessArgs === undefined ? [] : names.map((name) => `${name}/${unlessArgs}`),
    ),
  ),
  formatList([...deniedSchemas.keys()]),
  formatList(deniedRelations.map(({ schema, name }) => `${schema}.${name}`)),
  formatList(deniedLibraries),
  formatList(internals),
  formatList(libraries),
  formatList(texts),
];

/** Texts without quotes in them. */
function formatList(items: readonly string[]): string {
  return `{${items.map((item) => `"${item}"`).join(',')}}`;
}

/** The most specific reason comes first. */
const ranks = ['named', 'alias', 'symbol', 'language', 'library', 'replaced', 'code', 'unknown', 'body'];

export function sortRoots(roots: readonly Found[]): readonly Found[] {
  return roots.toSorted((a, b) => ranks.indexOf(a.how) - ranks.indexOf(b.how));
}

/** Completes a sentence that begins with its name; undefined: it is no reason by itself. */
export function reasonOfRoot({ class: objectClass, how, detail, description }: Found): string | undefined {
  const { schema = '', name = '' } = description;
  if (how === 'named' && objectClass === catalogs.relation)
    return denialOfRelation({ schema, name })?.reason ?? 'is not for reading';
  if (how !== 'named') return reasons[how]?.(detail);
  if (finders.has(name)) return undefined;
  return denialOfFunction(schema, name)?.reason ?? denialOfFunction(undefined, name)?.reason ?? 'is denied';
}

const byAnotherName = (symbol: string) => `is ${symbol} by another name, and that ${reasonOfSymbol(symbol)}`;

const reasons: Readonly<Record<string, (detail: string) => string>> = {
  alias: byAnotherName,
  symbol: byAnotherName,
  library: (name) => `belongs to ${name}, which reaches around transactions`,
  language: (name) => `is written in ${name.replace(/^language /, '')}, which can do whatever the server can`,
  xmltable: () => 'evaluates an XPath, which no time limit stops',
  file: () => 'reads a file or runs a program of the server',
  altered: () => 'belongs to the server, and is no longer volatile, so the planner may run it anywhere',
  replaced: () => 'belongs to the server, and was replaced',
  unknown: (symbol) => `calls the internal function ${symbol}, which takes other arguments`,
  code: (library) => `is C code of ${library || 'an unknown library'} and of no extension, which cannot be checked`,
};

function reasonOfSymbol(detail: string): string {
  if (finders.has(detail)) return 'finds what it reads at run time';
  return denialOfFunction(undefined, detail)?.reason ?? 'is denied';
}
