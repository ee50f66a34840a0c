import type { ForeignKey, RelationParts } from './relation-parts.ts';
import { type Change, events } from './row-changes.ts';

/** A table that a foreign key leads to; without a change it is only read. */
interface KeyStep {
  readonly key: ForeignKey;
  readonly change: Change | undefined;
}

/** Of `pg_trigger.tgtype`: for each row, before the change. */
const beforeRow = 3;
/** Actions that only check. */
const checking: ReadonlySet<string> = new Set(['a', 'r']);

/** The foreign keys that the server checks or follows for a change. */
export function listKeys(parts: RelationParts, change: Change): readonly KeyStep[] {
  return [...listOutgoing(parts, change), ...listIncoming(parts, change)];
}

/** A row that is inserted without a value for a key has no reference. */
function listOutgoing(parts: RelationParts, change: Change): readonly KeyStep[] {
  const { insert, update } = events;
  const columns = findColumns(parts, change);
  const isChecked = ({ own }: ForeignKey) =>
    ((change.events & insert) !== 0 && own.every((column) => hasValue(column, columns, parts.filled))) ||
    ((change.events & update) !== 0 && own.some((column) => hasValue(column, columns, [])));
  return parts.outgoing.filter(isChecked).map((key) => ({ key, change: undefined }));
}

function listIncoming(parts: RelationParts, change: Change): readonly KeyStep[] {
  const columns = findColumns(parts, change);
  return parts.incoming.flatMap((key): KeyStep[] => {
    const { own, referring, onDelete, onUpdate } = key;
    const steps: KeyStep[] = [];
    const add = (action: string, next: number) => {
      const changed = { events: next, columns: next === events.update ? referring : undefined };
      steps.push({ key, change: checking.has(action) ? undefined : changed });
    };
    if ((change.events & events.truncate) !== 0) steps.push({ key, change: { events: events.truncate, columns: undefined } });
    if ((change.events & events.delete) !== 0) add(onDelete, onDelete === 'c' ? events.delete : events.update);
    if ((change.events & events.update) !== 0 && own.some((column) => hasValue(column, columns, [])))
      add(onUpdate, events.update);
    return steps;
  });
}

/** A trigger may change any column before the row is written. */
function findColumns({ triggers }: RelationParts, { events: bits, columns }: Change): readonly string[] | undefined {
  const isChanging = ({ type }: { type: number }) => (type & beforeRow) === beforeRow && (type & bits) !== 0;
  return triggers.some(isChanging) ? undefined : columns;
}

function hasValue(column: string, columns: readonly string[] | undefined, filled: readonly string[]): boolean {
  return columns === undefined || columns.includes(column) || filled.includes(column);
}
