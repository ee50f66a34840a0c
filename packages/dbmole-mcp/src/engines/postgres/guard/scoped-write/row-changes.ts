import { listParts } from '../../change/unrestricted.ts';
import { getInner } from '../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../tree/walk.ts';

/** The bits of `pg_trigger.tgtype`. */
export const events = { insert: 4, delete: 8, update: 16, truncate: 32 } as const;
export const anyEvent = events.insert | events.delete | events.update;

/** What happens to the rows of a relation. */
export interface Change {
  /** Bits of `events`. */
  readonly events: number;
  /** The columns that get a value, in the statement; undefined where any may. */
  readonly columns: readonly string[] | undefined;
}

export interface NamedChange {
  readonly schema: string | undefined;
  readonly name: string;
  readonly change: Change;
}

/** Every change of rows in a statement, also in its queries of WITH. */
export function listChanges(statement: unknown): readonly NamedChange[] {
  return [...listParts(statement)].flatMap(([kind, part]) => readChange(kind, part));
}

function readChange(kind: string, part: unknown): readonly NamedChange[] {
  const read = readers.get(kind);
  if (read === undefined) return [];
  const fields = asFields(part);
  const { schemaname, relname } = asFields(fields.relation);
  const schema = typeof schemaname === 'string' ? schemaname : undefined;
  return read(fields).map((change) => ({ schema, name: String(relname), change }));
}

const readers: ReadonlyMap<string, (fields: Fields) => readonly Change[]> = new Map([
  ['InsertStmt', readInsert],
  ['UpdateStmt', ({ targetList }: Fields) => [{ events: events.update, columns: listColumns(targetList) }]],
  ['DeleteStmt', () => [{ events: events.delete, columns: undefined }]],
  ['MergeStmt', () => [{ events: anyEvent, columns: undefined }]],
]);

function readInsert({ cols, onConflictClause }: Fields): readonly Change[] {
  const named = listColumns(cols);
  const inserted: Change = { events: events.insert, columns: named.length === 0 ? undefined : named };
  const { action, targetList } = asFields(onConflictClause ?? {});
  if (action !== 'ONCONFLICT_UPDATE') return [inserted];
  return [inserted, { events: events.update, columns: listColumns(targetList) }];
}

function listColumns(list: unknown): readonly string[] {
  return asList(list).map((column) => String(getInner(column).name));
}
