import { textOf } from '../node-parts.ts';
import { asFields, type Fields } from '../walk.ts';
import type { Parameter } from './bodies.ts';

const quoting = new Set(['quote_ident', 'quote_literal', 'quote_nullable']);

/**
 * Whether SQL that is put together takes names and values of its caller only, as in `'… from ' || quote_ident(t)` and
 * `format('… %I … %L', t, x)`. It decides nothing but what a user without powers may run.
 */
export function isConfined(node: unknown, parameters: readonly Parameter[]): boolean {
  const { A_Const: constant, A_Expr: expression, FuncCall: call, ColumnRef: column, TypeCast: cast } = asFields(node);
  // A name before a parenthesis is a call.
  if (constant !== undefined) return !/^\s*\(/.test(literalOf(constant));
  if (expression !== undefined) {
    const { lexpr, rexpr } = asFields(expression);
    return [lexpr, rexpr].every((side) => side === undefined || isConfined(side, parameters));
  }
  if (cast !== undefined) return isConfined(asFields(cast).arg, parameters);
  if (call !== undefined) return isQuoting(asFields(call));
  return column !== undefined && isPlain(asFields(column), parameters);
}

function isQuoting({ funcname, args }: Fields): boolean {
  const name = Array.isArray(funcname) ? (textOf(funcname.at(-1)) ?? '') : '';
  if (quoting.has(name)) return true;
  const [template] = Array.isArray(args) ? args : [];
  if (name !== 'format' || template === undefined) return false;
  const text = literalOf(asFields(template).A_Const ?? {});
  return text !== '' && !/%[-\d*$]{0,20}s|%[-\d*$]{0,20}I\s{0,20}\(/.test(text);
}

function literalOf(constant: unknown): string {
  return String(asFields(asFields(constant).sval ?? {}).sval ?? '');
}

function isPlain({ fields }: Fields, parameters: readonly Parameter[]): boolean {
  const name = Array.isArray(fields) ? textOf(fields.at(-1)) : undefined;
  const parameter = parameters.find((one) => one.name === name);
  return parameter?.isPlain === true;
}
