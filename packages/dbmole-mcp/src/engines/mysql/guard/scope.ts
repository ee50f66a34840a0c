import { outOfScope, type Scope, type ScopeDialect } from '../../../policy/scope.ts';
import { isName, noToken, type Token } from '../../../statement/tokens.ts';
import type { Reached } from './catalog/origins.ts';
import type { TableUse, Uses } from './text/find-uses.ts';

export const scopeDialect: ScopeDialect = {
  // MariaDB 11.8 takes the letter ſ for s, as this does in Unicode mode.
  systemSchemas: /^(?:mysql|sys|information_schema|performance_schema|ndbinfo)$/iu,
  hasOneLevel: true,
};

/** Refuses statements that only describe: SHOW, DESCRIBE, CHECKSUM and HELP show what there is, whatever they name. */
export function refuseDescription({ isQuery }: Uses, scope: Scope): void {
  if (isQuery) return;
  throw outOfScope(`this statement can show what is outside of the scope of this connection, which is ${scope.text}`);
}

/** Refuses to read a sequence outside: MariaDB tells whether it exists, and its value. Nothing else of a query names one. */
export function refuseSequences({ tokens = [] }: Uses, scope: Scope, database: string | undefined): void {
  for (const [at, { word }] of tokens.entries()) {
    if (word !== 'LASTVAL' && word !== 'PREVIOUS') continue;
    const skipped = word === 'LASTVAL' ? ['('] : ['VALUE', 'FOR'];
    if (!skipped.every((one, i) => tokens[at + 1 + i]?.word === one)) continue;
    const found = readPath(tokens, at + 1 + skipped.length);
    const [schema = database, name] = found.length === 1 ? [undefined, found[0]] : found;
    if (name === undefined || (schema !== undefined && scope.allows(schema, name))) continue;
    throw scope.refuse(found.join('.'), (tokens[at + 1 + skipped.length]?.start ?? 0) + 1);
  }
}

/** `a.b`, or `b`. */
function readPath(tokens: readonly Token[], at: number): string[] {
  const [first = noToken, dot = noToken, second = noToken] = tokens.slice(at, at + 3);
  if (!isName(first)) return [];
  return dot.word === '.' && isName(second) ? [first.name, second.name] : [first.name];
}

/** Refuses a table that the statement, or a function that it calls, reads outside. What a view inside leads to is its own. */
export function refuseOutside(uses: readonly Reached<TableUse>[], scope: Scope): void {
  for (const { schema: written, name, origin } of uses) {
    const schema = written ?? origin.schema;
    if (origin.isInside || schema === undefined || scope.allows(schema, name)) continue;
    if (origin.via === '') throw scope.refuse(written === undefined ? name : `${written}.${name}`, origin.at + 1);
    throw refuseFunction('a function that the statement calls reads', scope, origin.at);
  }
}

export function refuseFunction(what: string, { text }: Scope, at: number) {
  return outOfScope(`${what} outside of the scope of this connection, which is ${text}`, at + 1);
}
