import { Failure } from '@dbmole/core';

export const maxStatements = 20;

/** One statement, or a list of them; some models write a list as JSON in a text. */
export function parseStatements(sql: string | readonly string[]): readonly string[] {
  if (typeof sql !== 'string') return sql;
  const list = sql.trimStart().startsWith('[') ? parseList(sql) : undefined;
  return list ?? [sql];
}

function parseList(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    const isList = Array.isArray(list) && list.length > 0 && list.length <= maxStatements;
    return isList && list.every((item) => typeof item === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}

/** The params of each statement: of a single one they are the list itself, of several a list for each. */
export function splitParams<P>(statements: readonly string[], params: readonly P[]): readonly (readonly P[])[] {
  if (statements.length === 1) return [params];
  if (params.length === 0) return statements.map(() => []);
  if (params.length === statements.length && params.every((one): one is P & P[] => Array.isArray(one))) return params;
  throw new Failure('input', `params has ${params.length} items for ${statements.length} statements`, {
    hint: 'Pass one list of params for each statement, [] for those without placeholders.',
  });
}
