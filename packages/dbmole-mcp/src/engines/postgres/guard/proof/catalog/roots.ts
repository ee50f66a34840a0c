import { formatArray } from '../../../values/literal.ts';
import {
  deniedFunctions,
  deniedRelations,
  deniedSchemas,
  findFunctionDenial,
  findReach,
  findRelationDenial,
} from '../../denials.ts';
import { reviewedSymbols } from '../../reviewed-symbols.ts';
import type { Found } from './catalog-object.ts';
import { catalogs } from './describe-sql.ts';

/** Extensions and libraries that are denied entirely. */
const deniedLibraries = [
  ...['dblink', 'adminpack', 'pg_surgery', 'pg_background', 'odbclink', 'plsh', 'amqp', 'pg_amqp', 'set_user'],
  ...['pgmemcache', 'pg_repack', 'pg_squeeze', 'pldbgapi', 'plugin_debugger', 'pg_bulkload'],
];

/** C symbols whose SQL functions have other names. */
const deniedSymbols = ['connectby_text', 'connectby_text_serial', 'accept_weak_input'];

/** Internal functions of 14 to 18 whose symbol differs from their name. */
const internals = `is_normalized=unicode_is_normalized normalize=unicode_normalize_func
  pg_current_logfile=pg_current_logfile_1arg random_normal=drandom_normal`.split(/\s+/);

const libraries = ['plpgsql_call_handler', 'plpgsql_inline_handler', 'plpgsql_validator']
  .map((symbol) => `$libdir/plpgsql ${symbol}`)
  .concat(['dsnowball_init', 'dsnowball_lexize'].map((symbol) => `$libdir/dict_snowball ${symbol}`));

/** Built-in functions with a text body. Each casts to text, which callers account for. */
const texts = [
  'quote_literal=select pg_catalog.quote_literal($1::pg_catalog.text)',
  'quote_nullable=select pg_catalog.quote_nullable($1::pg_catalog.text)',
  'textanycat=select $1 || $2::pg_catalog.text',
  'anytextcat=select $1::pg_catalog.text || $2',
];

const reviewed = reviewedSymbols
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [library, ...symbols] = line.split(' ');
    return symbols.map((symbol) => `$libdir/${library} ${symbol}`);
  });

const deniedNames = [...deniedFunctions.flatMap(({ name, isPrefix }) => (isPrefix ? [] : name)), ...deniedSymbols];

export const rootParams: readonly string[] = [
  formatArray(deniedNames),
  formatArray(deniedFunctions.flatMap(({ name, isPrefix }) => (isPrefix ? name : []))),
  formatArray(deniedFunctions.flatMap(({ name, unlessArgs }) => (unlessArgs === undefined ? [] : `${name}/${unlessArgs}`))),
  formatArray(deniedSchemas),
  formatArray(deniedRelations),
  formatArray(deniedLibraries),
  formatArray(reviewed),
  formatArray(internals),
  formatArray(libraries),
  formatArray(texts),
];

/** The condition on a server with functions that were not reviewed. */
export function formatRootParams(unreviewed: ReadonlySet<string>): readonly string[] {
  return [formatArray([...deniedNames, ...unreviewed]), ...rootParams.slice(1)];
}

/** The most specific reason comes first. */
const ranks = ['named', 'alias', 'symbol', 'language', 'library', 'replaced', 'code', 'unknown', 'body'];

export function sortRoots(roots: readonly Found[]): readonly Found[] {
  return roots.toSorted((a, b) => ranks.indexOf(a.how) - ranks.indexOf(b.how));
}

/** Completes a sentence that begins with the name; undefined: the root is harmless by itself. */
export function explainRoot({ class: objectClass, how, detail, description }: Found): string | undefined {
  const { schema = '', name = '' } = description;
  if (how === 'named' && objectClass === catalogs.relation)
    return findRelationDenial({ schema, name })?.reason ?? 'is not for reading';
  if (how !== 'named') return reasons[how]?.(detail);
  if (isFinder(name)) return undefined;
  return findFunctionDenial(schema, name)?.reason ?? findFunctionDenial(undefined, name)?.reason ?? 'is denied';
}

const byAnotherName = (symbol: string) => `is ${symbol} by another name, and that ${explainSymbol(symbol)}`;

const reasons: Readonly<Record<string, (detail: string) => string>> = {
  alias: byAnotherName,
  symbol: byAnotherName,
  library: (name) => `belongs to ${name}, which reaches around transactions`,
  language: (name) => `is written in ${name.replace(/^language /, '')}, which can do whatever the server can`,
  xmltable: () => 'evaluates an XPath expression, which no time limit stops',
  file: () => 'reads a file or runs a program of the server',
  altered: () => 'belongs to the server, and is no longer volatile, so the planner may run it anywhere',
  replaced: () => 'belongs to the server, and was replaced',
  decides: (setting) => `sets ${setting}, which decides how code is read`,
  modifiers: () => 'runs a function for its modifiers, wherever a text names a type',
  unknown: (symbol) => `calls the internal function ${symbol}, which takes other arguments`,
  code: (library) => `is C code of ${library || 'an unknown library'} and of no extension, which cannot be checked`,
};

/** Whether it finds objects by name at run time, which is unsafe only where there are unsafe objects. */
function isFinder(name: string): boolean {
  return findReach({ schema: undefined, name }) !== undefined && findFunctionDenial(undefined, name) === undefined;
}

function explainSymbol(detail: string): string {
  if (isFinder(detail)) return 'chooses what it reads at run time';
  return findFunctionDenial(undefined, detail)?.reason ?? 'is denied';
}
