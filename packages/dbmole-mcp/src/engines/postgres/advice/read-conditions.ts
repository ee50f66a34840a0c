import type { ColumnName, Condition, Expression, Join, KeyName } from '../../../advice/statement-shape.ts';
import { readLast, readLiteral, readText } from '../guard/tree/node-parts.ts';
import { asFields, asList, type Fields } from '../guard/tree/walk.ts';

const equalOperators = new Set(['=']);
const rangeOperators = new Set(['<', '<=', '>', '>=']);
const containing = new Set(['@>', '@@', '@?', '&&', '?', '?|', '?&']);
/** Functions of the server that an index can be made of. */
const indexable = new Set(['lower', 'upper', 'md5', 'abs']);

export function readColumn(node: unknown): ColumnName | undefined {
  const parts = asList(asFields(asFields(node ?? {}).ColumnRef ?? {}).fields).map(readText);
  const name = parts.at(-1);
  return name === undefined ? undefined : { qualifier: parts.at(-2), name };
}

function readKey(node: unknown): KeyName | undefined {
  const column = readColumn(node);
  if (column !== undefined) return column;
  const { FuncCall, A_Expr, TypeCast } = asFields(node ?? {});
  // The server drops a cast of the text to text.
  if (TypeCast !== undefined && isTextCast(asFields(TypeCast))) return readKey(asFields(TypeCast).arg);
  if (FuncCall !== undefined) return readCall(asFields(FuncCall));
  const { name, lexpr, rexpr } = asFields(A_Expr ?? {});
  const member = readLiteral(rexpr);
  return readLast(name) === '->>' && member !== undefined ? over(lexpr, { kind: 'member', key: member }) : undefined;
}

function isTextCast({ arg, typeName }: Fields): boolean {
  const { A_Expr } = asFields(arg ?? {});
  return A_Expr !== undefined && readLast(asFields(typeName).names) === 'text';
}

function readCall({ funcname, args }: Fields): KeyName | undefined {
  const name = readLast(funcname);
  const [first, second] = asList(args);
  if (name === undefined || !indexable.has(name) || second !== undefined) return undefined;
  return over(first, { kind: 'function', name });
}

function over(node: unknown, expression: Expression): KeyName | undefined {
  const column = readColumn(node);
  return column === undefined ? undefined : { ...column, expression };
}

/** `a.x = b.y`, or `a.x = b.y + 1`. */
export function readJoin(node: unknown): Join | undefined {
  const { kind, name, lexpr, rexpr } = asFields(asFields(node).A_Expr ?? {});
  if (kind !== 'AEXPR_OP' || !equalOperators.has(readLast(name) ?? '')) return undefined;
  const [left, right] = [readColumn(lexpr), readColumn(rexpr)];
  if (left !== undefined && hasColumn(rexpr)) return { left, right };
  return right !== undefined && hasColumn(lexpr) ? { left: right, right: undefined } : undefined;
}

/** A subquery is skipped, because it is a value. */
function hasColumn(node: unknown): boolean {
  return hasNode(node, 'ColumnRef', 'SubLink');
}

/** What a value is made of, as far as it has the type of its column. */
export function listOperands(node: unknown): unknown[] {
  if (node === undefined) return [];
  const { List, A_ArrayExpr, TypeCast } = asFields(node);
  if (List !== undefined) return asList(asFields(List).items).flatMap(listOperands);
  if (A_ArrayExpr !== undefined) return asList(asFields(A_ArrayExpr).elements).flatMap(listOperands);
  return TypeCast === undefined ? [node] : listOperands(asFields(TypeCast).arg);
}

export function listParams(node: unknown): number[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([kind, fields]) =>
    kind === 'ParamRef' ? Number(asFields(fields).number ?? 0) : listParams(fields),
  );
}

function hasNode(node: unknown, wanted: string, except?: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some((part) => hasNode(part, wanted, except));
  return Object.entries(node).some(([kind, fields]) => kind === wanted || (kind !== except && hasNode(fields, wanted, except)));
}

/** What one part of an AND says of a column. BETWEEN says one thing, and a comparison of rows speaks of its first column. */
export function readConditions(node: unknown): Condition[] {
  const { A_Expr, NullTest, ColumnRef, BooleanTest } = asFields(node);
  if (ColumnRef !== undefined) return toCondition('equal', node);
  if (BooleanTest !== undefined) return toCondition('equal', asFields(BooleanTest).arg);
  if (A_Expr !== undefined) return readOperation(asFields(A_Expr));
  const { arg, nulltesttype } = asFields(NullTest ?? {});
  return nulltesttype === 'IS_NULL' ? toCondition('equal', arg) : [];
}

function readOperation({ kind, name, lexpr, rexpr }: Fields): Condition[] {
  const operator = readLast(name) ?? '';
  if (!hasColumn(rexpr)) return toCondition(findConditionKind(kind, operator, rexpr), firstOfRow(lexpr));
  const reversed = kind === 'AEXPR_OP' && !hasColumn(lexpr) ? findOperatorKind(operator) : undefined;
  return toCondition(reversed === 'contains' ? undefined : reversed, firstOfRow(rexpr));
}

function findConditionKind(kind: unknown, operator: string, value: unknown): Condition['kind'] | undefined {
  if (kind === 'AEXPR_LIKE') return findPatternKind(operator, value);
  if (kind === 'AEXPR_ILIKE') return 'infix';
  if (kind === 'AEXPR_BETWEEN') return 'interval';
  if (kind === 'AEXPR_IN' || kind === 'AEXPR_OP_ANY') return operator === '=' ? 'equal' : undefined;
  return kind === 'AEXPR_OP' ? findOperatorKind(operator) : undefined;
}

function toCondition(kind: Condition['kind'] | undefined, node: unknown): Condition[] {
  const key = readKey(node);
  return kind === undefined || key === undefined ? [] : [{ kind, key }];
}

function findOperatorKind(operator: string): Condition['kind'] | undefined {
  if (equalOperators.has(operator)) return 'equal';
  if (rangeOperators.has(operator)) return 'range';
  return containing.has(operator) ? 'contains' : undefined;
}

/** `~~` is LIKE, and `!~~` is NOT LIKE. A pattern that is not known yet is no reason for an index. */
function findPatternKind(operator: string, pattern: unknown): Condition['kind'] | undefined {
  const text = readLiteral(pattern);
  if (operator !== '~~' || text === undefined) return undefined;
  return /^[%_]/.test(text) ? 'infix' : 'prefix';
}

function firstOfRow(node: unknown): unknown {
  const row = asFields(node ?? {}).RowExpr;
  return row === undefined ? node : asList(asFields(row).args)[0];
}
