import type { ChangeMeter, Effects, StartedMeter, TableChange, TargetName, WriteTransaction } from '../../../approval/change.ts';
import { startSample } from '../../../approval/changed-rows.ts';
import type { TextRows } from '../../../engine.ts';
import { quoteName } from './read-change.ts';

/** Counts by what the server counts for each transaction: the changed rows of all tables, with those of cascades and triggers. */
export const meter: ChangeMeter = {
  async begin(transaction, statement, shape): Promise<StartedMeter> {
    const target = shape.target && (await findTarget(transaction, shape.target));
    const before = await readCounts(transaction);
    const sample =
      target && shape.rows
        ? await startSample({
            transaction,
            rows: shape.rows,
            params: statement.params,
            quote: quoteName,
            placeholder: (number) => `$${number}`,
            table: { schema: target.schema, table: target.name },
            qualified: `${quoteName(target.schema)}.${quoteName(target.name)}`,
            key: target.key,
            columns: target.columns,
            set: shape.set,
          })
        : undefined;
    return {
      async end() {
        const changes = subtract(await readCounts(transaction), before);
        const own = target === undefined ? undefined : changes.find(({ id }) => id === target.id);
        const others = changes.filter((change) => change !== own);
        const reached = target === undefined ? new Set<string>() : await findCascades(transaction, target.id, others);
        const toChange = ({ name, rows }: Counted): TableChange => ({ table: name, rows });
        return {
          table: target?.display ?? shape.target?.name,
          total: target?.total,
          cascades: others.filter(({ id }) => reached.has(id)).map(toChange),
          others: others.filter(({ id }) => !reached.has(id)).map(toChange),
          triggers: await findTriggers(transaction, changes),
          sample: await sample?.(),
          notes: [],
        } satisfies Effects;
      },
    };
  },
};

interface Target {
  id: string;
  schema: string;
  name: string;
  /** The name as a statement would write it. */
  display: string;
  /** Undefined where the server has no estimate. */
  total: number | undefined;
  key: readonly string[];
  columns: readonly string[];
}

const targetSql = `select c.oid::text, n.nspname, c.relname, c.oid::regclass::text, c.reltuples::bigint::text,
  (select coalesce(json_agg(a.attname order by k.place), '[]')::text from pg_index i, unnest(i.indkey) with ordinality k (number, place)
    join pg_attribute a on a.attnum = k.number where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid),
  (select coalesce(json_agg(a.attname order by a.attnum), '[]')::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = to_regclass($1)`;

async function findTarget(transaction: WriteTransaction, { schema, name }: TargetName): Promise<Target | undefined> {
  const written = [...(schema === undefined ? [] : [schema]), name].map(quoteName).join('.');
  const [row] = await transaction.ask(targetSql, [written]);
  const [id, owner, table, display, rows, key, columns] = row ?? [];
  if (!id || !owner || !table) return undefined;
  // -1 is written for a table that was never analyzed.
  const total = Number(rows) > 0 ? Number(rows) : undefined;
  return { id, schema: owner, name: table, display: display ?? table, total, key: readNames(key), columns: readNames(columns) };
}

function readNames(json: string | null | undefined): string[] {
  const names: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(names) ? names.map(String) : [];
}

interface Counted {
  /** The table, or the partitioned one that it is a part of. */
  id: string;
  name: string;
  inserted: number;
  updated: number;
  deleted: number;
  rows: number;
}

const countsSql = `select r.id::oid::text, r.id::text, sum(r.n_tup_ins)::text, sum(r.n_tup_upd)::text, sum(r.n_tup_del)::text
  from (select coalesce(pg_partition_root(t.relid), t.relid)::regclass as id, t.n_tup_ins, t.n_tup_upd, t.n_tup_del
    from pg_stat_xact_user_tables t where t.n_tup_ins + t.n_tup_upd + t.n_tup_del > 0) r group by 1, 2 order by 2`;

async function readCounts(transaction: WriteTransaction): Promise<TextRows> {
  return await transaction.ask(countsSql);
}

/** The counts include earlier transactions of the session. */
function subtract(after: TextRows, before: TextRows): Counted[] {
  const known = new Map(before.map((row) => [row[0], row]));
  return after.flatMap((row) => {
    const [id, name] = row;
    const at = (column: number) => Number(row[column]) - Number(known.get(id ?? null)?.[column] ?? 0);
    const [inserted, updated, deleted] = [at(2), at(3), at(4)];
    const rows = inserted + updated + deleted;
    return rows === 0 ? [] : [{ id: id ?? '', name: name ?? '', inserted, updated, deleted, rows }];
  });
}

const cascadesSql = `with recursive keys as (
    select coalesce(pg_partition_root(k.confrelid), k.confrelid)::oid as parent, coalesce(pg_partition_root(k.conrelid), k.conrelid)::oid as child
    from pg_constraint k where k.contype = 'f' and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))),
  reached as (select child from keys where parent = $1::oid union select keys.child from keys join reached on keys.parent = reached.child)
  select child::text from reached limit 1000`;

/** The tables to which a change of this one goes on by foreign keys. */
async function findCascades(transaction: WriteTransaction, id: string, others: readonly Counted[]): Promise<Set<string>> {
  if (others.length === 0) return new Set();
  return new Set((await transaction.ask(cascadesSql, [id])).flatMap(([child]) => child ?? []));
}

/** The bits of an event in `tgtype`. */
const events = { inserted: 4, deleted: 8, updated: 16 } as const;

const triggersSql = `select g.tgname || ' (' || g.tgrelid::regclass::text || ')' from pg_trigger g
  where not g.tgisinternal and g.tgenabled in ('O', 'A') and g.tgparentid = 0 and exists (
    select from unnest($1::oid[], $2::int[]) u (id, events) where u.id = g.tgrelid and g.tgtype & u.events > 0) order by 1 limit 20`;

/** Those for what happened to their tables. Whether a condition of theirs held is not known. */
async function findTriggers(transaction: WriteTransaction, changes: readonly Counted[]): Promise<string[]> {
  if (changes.length === 0) return [];
  const masks = changes.map((change) =>
    Object.entries(events).reduce((mask, [key, bit]) => mask | (change[key as keyof typeof events] > 0 ? bit : 0), 0),
  );
  const list = (values: readonly (string | number)[]) => `{${values.join(',')}}`;
  const rows = await transaction.ask(triggersSql, [list(changes.map(({ id }) => id)), list(masks)]);
  return rows.flatMap(([name]) => name ?? []);
}
