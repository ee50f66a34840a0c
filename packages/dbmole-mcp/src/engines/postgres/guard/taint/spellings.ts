/** What a body says, and the server looks up by another name. A statement comes from the parser, which knows. */

/** Types of the server, by the words that the grammar has for them. */
const types: Readonly<Record<string, readonly string[]>> = {
  int: ['int4'],
  integer: ['int4'],
  smallint: ['int2'],
  bigint: ['int8'],
  dec: ['numeric'],
  decimal: ['numeric'],
  real: ['float4'],
  float: ['float4', 'float8'],
  double: ['float8'],
  boolean: ['bool'],
  char: ['bpchar', 'varchar'],
  character: ['bpchar', 'varchar'],
  nchar: ['bpchar', 'varchar'],
  national: ['bpchar', 'varchar'],
  bit: ['varbit'],
  time: ['timetz'],
  timestamp: ['timestamptz'],
};

const equal = ['='];
const ordered = ['<', '<=', '>', '>='];

/** Operators that are not written. */
const operators: Readonly<Record<string, readonly string[]>> = {
  in: equal,
  case: equal,
  using: equal,
  natural: equal,
  nullif: equal,
  distinct: equal,
  between: ordered,
  like: ['~~', '!~~'],
  ilike: ['~~*', '!~~*'],
  similar: ['~', '!~'],
};

export const typesOf: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(types));
export const operatorsOf: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(operators));

/** `!=` is another way to write the last. */
const unwritten = new Set([...Object.values(operators).flat(), '<>']);

/** Whether a body can use the operator and not write it. */
export function isUnwritten(operator: string): boolean {
  return unwritten.has(operator);
}
