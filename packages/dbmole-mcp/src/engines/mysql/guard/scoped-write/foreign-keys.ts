import type { Change, Verb } from './row-changes.ts';
import type { ForeignKey, TableParts } from './table-parts.ts';

/** A table that a foreign key leads to; without a change it is only read. */
interface KeyStep {
  readonly key: ForeignKey;
  readonly change: Change | undefined;
}

const checking: ReadonlySet<string> = new Set(['RESTRICT', 'NO ACTION']);

/** The foreign keys that the server checks or follows for a change. */
export function listKeys(parts: TableParts, { verbs, columns: given }: Change): readonly KeyStep[] {
  // A trigger may change any column before the row is written.
  const columns = parts.triggers.some(({ isBefore, verb }) => isBefore && verbs.includes(verb)) ? undefined : given;
  const has = (column: string) => columns === undefined || columns.includes(column);
  const isFilled = (column: string) => has(column) || parts.filled.includes(column);
  const isChecked = ({ own }: ForeignKey) =>
    (verbs.includes('INSERT') && own.every(isFilled)) || (verbs.includes('UPDATE') && own.some(has));
  const outgoing = parts.outgoing.filter(isChecked).map((key): KeyStep => ({ key, change: undefined }));
  const incoming = parts.incoming.flatMap((key): KeyStep[] => [
    ...(verbs.includes('DELETE') ? [follow(key, key.onDelete, key.onDelete === 'CASCADE' ? 'DELETE' : 'UPDATE')] : []),
    ...(verbs.includes('UPDATE') && key.own.some(has) ? [follow(key, key.onUpdate, 'UPDATE')] : []),
  ]);
  return [...outgoing, ...incoming];
}

/** A rule that the account may not see can be any. */
function follow(key: ForeignKey, rule: string, verb: Verb): KeyStep {
  if (checking.has(rule)) return { key, change: undefined };
  if (rule === '') return { key, change: { verbs: ['UPDATE', 'DELETE'], columns: undefined } };
  return { key, change: { verbs: [verb], columns: verb === 'UPDATE' ? key.referring : undefined } };
}
