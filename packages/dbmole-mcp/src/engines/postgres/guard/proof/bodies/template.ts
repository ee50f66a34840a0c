import { listParts } from '../../../change/unrestricted.ts';
import { runsText } from '../../denials.ts';
import type { Parser, Token } from '../../thread/parser.ts';
import { readLast, readLiteral, readText } from '../../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../../tree/walk.ts';
import type { Parameter } from './bodies.ts';

/** What the caller passes. */
const givenName = 'mole_name';
const givenText = "'mole_text'";
const quoting = new Map([
  ['quote_ident', givenName],
  ['quote_literal', givenText],
  ['quote_nullable', givenText],
]);

/**
 * Whether the caller can pass only names of relations and columns, and values, into the SQL that an expression puts together, as in
 * `'… from ' || quote_ident(t)` and `format('… %I … %L', t, x)`. The SQL is parsed with a word in each such place, which may
 * neither be a part of another token nor decide what is called.
 */
export function isConfined(expression: unknown, parameters: readonly Parameter[], parser: Parser): boolean {
  const sql = fillTemplate(expression, parameters);
  if (sql === undefined) return false;
  try {
    const parts = [...listParts(parser.parse(sql))];
    const hasFunctions = parts.some(([kind]) => kind === 'RangeFunction');
    return parser.scan(sql).every(isWhole) && !parts.some(([kind, part]) => mayCall(kind, part, hasFunctions));
  } catch {
    return false;
  }
}

/** A name in quotes could end them. */
function isWhole({ text, tokenName }: Token): boolean {
  if (text.includes(givenName)) return tokenName === 'IDENT' && /^\w+$/.test(text);
  return text === givenText || !text.includes('mole_text');
}

/** Undefined where the caller may decide more. */
function fillTemplate(node: unknown, parameters: readonly Parameter[]): string | undefined {
  const { A_Const: constant, A_Expr: expression, FuncCall: call, ColumnRef: column, TypeCast: cast } = asFields(node);
  if (constant !== undefined) return readLiteral(node) ?? '0';
  if (cast !== undefined) return fillTemplate(asFields(cast).arg, parameters);
  if (call !== undefined) return fillCall(asFields(call));
  if (column !== undefined) return isPlain(asFields(column), parameters) ? '0' : undefined;
  if (expression === undefined) return undefined;
  const { name, lexpr, rexpr } = asFields(expression);
  const sides = [lexpr, rexpr].map((side) => (side === undefined ? '' : fillTemplate(side, parameters)));
  if (sides.includes(undefined)) return undefined;
  return readLast(name) === '||' ? sides.join('') : '0';
}

function fillCall({ funcname, args }: Fields): string | undefined {
  const [first, ...others] = asList(funcname).map(readText);
  const name = first === 'pg_catalog' && others.length === 1 ? others[0] : others.length === 0 ? first : undefined;
  if (name !== 'format') return quoting.get(name ?? '');
  const parts = readLiteral(asList(args)[0])?.split(/(%[-\d*$]{0,20}[sIL%])/);
  const filled = parts?.map((part, i) => (i % 2 === 0 ? part : fillPlace(part.at(-1))));
  return filled === undefined || filled.includes(undefined) ? undefined : filled.join('');
}

function fillPlace(kind: string | undefined): string | undefined {
  if (kind === 'I') return givenName;
  if (kind === 'L') return givenText;
  return kind === '%' ? '%' : undefined;
}

function isPlain({ fields }: Fields, parameters: readonly Parameter[]): boolean {
  const name = readLast(fields);
  return parameters.find((one) => one.name === name)?.isPlain === true;
}

/** Fields with the names of functions and operators, and of what can be a call: `(5).f`. */
const callFields = new Set(['funcname', 'operName', 'useOp', 'method', 'indirection']);

function mayCall(kind: string, part: unknown, hasFunctions: boolean): boolean {
  if (kind === 'DoStmt') return true;
  // The field `name` of an operator is a list; others have a text.
  if (callFields.has(kind) || (kind === 'name' && Array.isArray(part))) return JSON.stringify(part).includes(givenName);
  // After the name of a function in FROM, which can be a value of any type.
  if (kind === 'ColumnRef') return hasFunctions && JSON.stringify(asList(asFields(part).fields).slice(1)).includes(givenName);
  return kind === 'FuncCall' && runsText(undefined, readLast(asFields(part).funcname) ?? '');
}
