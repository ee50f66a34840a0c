import type { CallUse, NameUse, StatementNames } from '../names.ts';

/** One place where a name is used. */
export interface Use {
  readonly schema: string | undefined;
  /** In the caller's statement; undefined: in the body of something. */
  readonly in?: NameUse | CallUse;
}

/** What a statement or a body uses, by name. */
export class Uses {
  readonly functions = new Map<string, Use[]>();
  readonly relations = new Map<string, Use[]>();
  readonly types = new Map<string, Use[]>();
  readonly operators = new Map<string, Use[]>();
  /** `row.f`, which may be a call of f. */
  readonly fields = new Map<string, Use[]>();
}

export function addUse(to: Map<string, Use[]>, name: string, use: Use): void {
  const known = to.get(name);
  if (known === undefined) to.set(name, [use]);
  else if (use.in !== undefined || known.every(({ schema }) => schema !== use.schema)) known.push(use);
}

/** The server's own functions of any type that are in SQL. They cast to text, and so does `||`, which calls the last two. */
export const textCasts: readonly string[] = ['quote_literal', 'quote_nullable', 'anytextcat', 'textanycat'];

/** A cast that is written nowhere. */
function addTextCasts({ functions, fields, operators, types }: Uses): void {
  const use = textCasts.flatMap((name) => functions.get(name) ?? fields.get(name) ?? [])[0] ?? operators.get('||')?.[0];
  if (use !== undefined) addUse(types, 'text', { ...use, schema: 'pg_catalog' });
}

export function mergeUses(into: Uses, from: Uses): void {
  for (const kind of ['functions', 'relations', 'types', 'operators', 'fields'] as const)
    for (const [name, uses] of from[kind]) {
      const known = into[kind].get(name);
      if (known === undefined) into[kind].set(name, [...uses]);
      else for (const use of uses) known.push(use);
    }
}

export function usesOf(names: StatementNames): Uses {
  const uses = new Uses();
  for (const use of names.functions) if (use.isField !== true) addUse(uses.functions, use.name, { schema: use.schema, in: use });
  const kinds = ['relations', 'types', 'operators', 'fields'] as const;
  for (const kind of kinds) for (const use of names[kind]) addUse(uses[kind], use.name, { schema: use.schema, in: use });
  addTextCasts(uses);
  return uses;
}
