import type {
  ChangeMeter,
  ChangeShape,
  RowsOfChange,
  StartedMeter,
  TableChange,
  TargetName,
  WriteTransaction,
} from '../../../approval/change.ts';
import { startSample } from '../../../approval/changed-rows.ts';
import type { Param } from '../../../engine.ts';
import { formatText } from '../values/literal.ts';
import { quoteName } from './read-change.ts';

/** The engine counts the rows of the statement alone; what foreign keys change is counted before it runs. */
export const meter: ChangeMeter = {
  async begin(transaction, { params }, shape): Promise<StartedMeter> {
    const target = shape.target && (await findTarget(transaction, shape.target));
    if (target === undefined) return { end: async () => ({ ...nothing, table: shape.target?.name }) };
    const counter = new CascadeCounter(transaction, shape, params);
    const cascades = await counter.count(target);
    const sample =
      shape.rows &&
      (await startSample({
        transaction,
        rows: shape.rows,
        params,
        quote: quoteName,
        placeholder: () => '?',
        table: { schema: target.schema, table: target.name },
        qualified: `${quoteName(target.schema)}.${quoteName(target.name)}`,
        key: target.key,
        columns: target.columns,
        set: shape.set,
      }));
    const triggers = await findTriggers(transaction, target, shape.verb);
    const notes = [...counter.notes, ...(triggers.length > 0 ? ['what triggers change is not counted'] : [])];
    return {
      end: async () => ({
        ...nothing,
        table: target.name,
        total: target.total,
        cascades,
        triggers,
        notes,
        sample: await sample?.(),
      }),
    };
  },
};

const nothing = { total: undefined, cascades: [], others: [], triggers: [], sample: undefined, notes: [] };

interface Target {
  schema: string;
  name: string;
  /** Undefined where the server has no estimate. */
  total: number | undefined;
  key: readonly string[];
  columns: readonly string[];
}

async function findTarget(transaction: WriteTransaction, { schema, name }: TargetName): Promise<Target | undefined> {
  const place = `table_schema = ${schema === undefined ? 'DATABASE()' : formatText(schema)} AND table_name = ${formatText(name)}`;
  const [row] = await transaction.ask(
    `SELECT table_schema, table_name, table_rows FROM information_schema.tables WHERE ${place} LIMIT 1`,
  );
  const [owner, table, rows] = row ?? [];
  if (!owner || !table) return undefined;
  const columns = await transaction.ask(
    `SELECT column_name, column_key FROM information_schema.columns WHERE ${place} ORDER BY ordinal_position`,
  );
  const names = (found: typeof columns) => found.flatMap(([column]) => column ?? []);
  const total = Number(rows) > 0 ? Number(rows) : undefined;
  return { schema: owner, name: table, total, columns: names(columns), key: names(columns.filter(([, key]) => key === 'PRI')) };
}

interface Reference {
  schema: string;
  table: string;
  columns: readonly string[];
  referenced: readonly string[];
  onDelete: string;
  onUpdate: string;
}

/** A chain of references that is longer is not followed. */
const maxDepth = 5;
const passing: ReadonlySet<string> = new Set(['CASCADE', 'SET NULL', 'SET DEFAULT']);

interface Changed {
  schema: string;
  name: string;
  /** A query for these columns of the rows that change. */
  rows(columns: readonly string[]): string;
  /** The columns that change; undefined: the rows are deleted. */
  set: readonly string[] | undefined;
  depth: number;
}

class CascadeCounter {
  readonly notes: string[] = [];
  readonly #transaction: WriteTransaction;
  readonly #shape: ChangeShape;
  readonly #params: readonly Param[];
  readonly #found = new Map<string, number>();

  constructor(transaction: WriteTransaction, shape: ChangeShape, params: readonly Param[]) {
    this.#transaction = transaction;
    this.#shape = shape;
    this.#params = shape.rows?.params.map((at) => params[at] ?? null) ?? [];
  }

  async count({ schema, name }: Target): Promise<TableChange[]> {
    const { verb, rows, set } = this.#shape;
    const isUpdate = verb === 'UPDATE';
    if (!isUpdate && verb !== 'DELETE' && verb !== 'REPLACE') return [];
    const references = await this.#list({ schema, name });
    const reached = references.filter((one) => isReached(one, isUpdate ? set : undefined));
    if (reached.length === 0) return [];
    if (rows === undefined) {
      this.notes.push('what foreign keys change is not counted');
      return [];
    }
    const changed: Changed = {
      schema,
      name,
      depth: 0,
      set: isUpdate ? set : undefined,
      rows: (columns) => writeKeys(rows, columns),
    };
    // No reference to these rows can be added from here on, so that the counts stay true.
    await this.#transaction.tryAsk(`${changed.rows(reached[0]?.referenced ?? [])} FOR UPDATE`, this.#params);
    await this.#follow(changed, reached);
    return [...this.#found].map(([table, count]) => ({ table, rows: count }));
  }

  async #follow(changed: Changed, references: readonly Reference[]): Promise<void> {
    for (const one of references) {
      const { schema, table, columns, referenced } = one;
      const condition = `(${columns.map(quoteName).join(', ')}) IN (SELECT * FROM (${changed.rows(referenced)}) AS dbmole_keys)`;
      const place = `${quoteName(schema)}.${quoteName(table)}`;
      const [row] = (await this.#transaction.tryAsk(`SELECT COUNT(*) FROM ${place} WHERE ${condition}`, this.#params)) ?? [];
      if (row === undefined) {
        this.notes.push(`what foreign keys change in ${table} is not counted`);
        continue;
      }
      const count = Number(row[0]);
      if (count === 0) continue;
      this.#found.set(table, (this.#found.get(table) ?? 0) + count);
      const isDeleted = changed.set === undefined && one.onDelete === 'CASCADE';
      const next: Changed = {
        schema,
        name: table,
        depth: changed.depth + 1,
        set: isDeleted ? undefined : columns,
        rows: (wanted) => `SELECT ${wanted.map(quoteName).join(', ')} FROM ${place} WHERE ${condition}`,
      };
      const reached = (await this.#list(next)).filter((reference) => isReached(reference, next.set));
      if (reached.length === 0) continue;
      if (next.depth >= maxDepth) this.notes.push(`what foreign keys change behind ${table} is not counted`);
      else await this.#follow(next, reached);
    }
  }

  async #list({ schema, name }: Pick<Changed, 'schema' | 'name'>): Promise<Reference[]> {
    const rows = await this.#transaction.ask(
      `SELECT k.constraint_schema, k.constraint_name, k.table_schema, k.table_name, k.column_name, k.referenced_column_name, r.delete_rule, r.update_rule
       FROM information_schema.key_column_usage k JOIN information_schema.referential_constraints r
         ON r.constraint_schema = k.constraint_schema AND r.constraint_name = k.constraint_name AND r.table_name = k.table_name
       WHERE k.referenced_table_schema = ${formatText(schema)} AND k.referenced_table_name = ${formatText(name)}
       ORDER BY k.constraint_schema, k.table_name, k.constraint_name, k.ordinal_position`,
    );
    const found = new Map<string, Reference & { columns: string[]; referenced: string[] }>();
    for (const row of rows) {
      const [owner = '', constraint = '', place = '', table = '', column = '', referenced = '', onDelete = '', onUpdate = ''] =
        row.map((cell) => cell ?? '');
      const key = JSON.stringify([owner, table, constraint]);
      const one = found.get(key) ?? { schema: place, table, columns: [], referenced: [], onDelete, onUpdate };
      one.columns.push(column);
      one.referenced.push(referenced);
      found.set(key, one);
    }
    return [...found.values()];
  }
}

/** Names of columns have no case. */
function isReached({ referenced, onDelete, onUpdate }: Reference, set: readonly string[] | undefined): boolean {
  if (set === undefined) return passing.has(onDelete);
  const names = set.map((name) => name.toLowerCase());
  return passing.has(onUpdate) && referenced.some((name) => names.includes(name.toLowerCase()));
}

function writeKeys({ with: prefix, from, alias }: RowsOfChange, columns: readonly string[]): string {
  return `${prefix} SELECT ${columns.map((column) => `${alias}.${quoteName(column)}`).join(', ')} FROM ${from}`;
}

async function findTriggers(transaction: WriteTransaction, { schema, name }: Target, verb: string): Promise<string[]> {
  const events = verb === 'REPLACE' ? "'INSERT', 'DELETE'" : `'${verb}'`;
  const rows = await transaction.ask(
    `SELECT CONCAT(trigger_name, ' (', event_object_table, ')') FROM information_schema.triggers
     WHERE event_object_schema = ${formatText(schema)} AND event_object_table = ${formatText(name)} AND event_manipulation IN (${events})
     ORDER BY 1 LIMIT 20`,
  );
  return rows.flatMap(([trigger]) => trigger ?? []);
}
