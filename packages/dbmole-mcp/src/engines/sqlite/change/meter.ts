import type { ChangeMeter, StartedMeter, TargetName, WriteTransaction } from '../../../approval/change.ts';
import { startSample } from '../../../approval/changed-rows.ts';
import { quoteName } from '../values/identifiers.ts';

/** SQLite counts the rows that triggers and foreign keys change with those of the statement; the difference is theirs. */
export const meter: ChangeMeter = {
  async begin(transaction, { params }, shape): Promise<StartedMeter> {
    const before = await readNumber(transaction, 'select total_changes()');
    const target = shape.target && (await findTarget(transaction, shape.target));
    const sample =
      target === undefined || shape.rows === undefined
        ? undefined
        : await startSample({
            transaction,
            rows: shape.rows,
            params,
            quote: quoteName,
            placeholder: () => '?',
            table: { schema: undefined, table: target.name },
            qualified: quoteName(target.name),
            key: target.key,
            columns: target.columns,
            set: shape.set,
          });
    return {
      async end() {
        const all = (await readNumber(transaction, 'select total_changes()')) - before;
        const own = await readNumber(transaction, 'select changes()');
        return {
          table: target?.name ?? shape.target?.name,
          total: target?.total,
          cascades: [],
          others: all > own && shape.verb !== '' ? [{ table: 'rows by triggers and foreign keys', rows: all - own }] : [],
          triggers: target === undefined ? [] : await findTriggers(transaction, target.name, shape.verb),
          sample: await sample?.(),
          notes: [],
        };
      },
    };
  },
};

async function readNumber(transaction: WriteTransaction, sql: string): Promise<number> {
  const [row] = await transaction.ask(sql);
  return Number(row?.[0] ?? 0);
}

interface Target {
  name: string;
  total: number | undefined;
  key: readonly string[];
  columns: readonly string[];
}

async function findTarget(transaction: WriteTransaction, { name }: TargetName): Promise<Target | undefined> {
  const columns = await transaction.ask('select name, pk from pragma_table_info(?) order by cid', [name]);
  if (columns.length === 0) return undefined;
  const count = await transaction.tryAsk(`select count(*) from ${quoteName(name)}`);
  const keyed = columns.filter(([, pk]) => pk !== '0').toSorted(([, one], [, other]) => Number(one) - Number(other));
  const readNames = (rows: typeof columns) => rows.flatMap(([column]) => column ?? []);
  return {
    name,
    total: count === undefined ? undefined : Number(count[0]?.[0] ?? 0),
    key: readNames(keyed),
    columns: readNames(columns),
  };
}

async function findTriggers(transaction: WriteTransaction, table: string, verb: string): Promise<string[]> {
  const rows = await transaction.ask(
    "select name, sql from sqlite_schema where type = 'trigger' and lower(tbl_name) = lower(?) order by name limit 20",
    [table],
  );
  const events = verb === 'REPLACE' ? ['insert', 'delete'] : [verb.toLowerCase()];
  const isFired = (sql: string | null | undefined) => {
    const [head = ''] = (sql ?? '').toLowerCase().split(/\bon\b/);
    return head.split(/\W+/).some((word) => events.includes(word));
  };
  return rows.filter(([, sql]) => isFired(sql)).map(([name]) => `${name ?? ''} (${table})`);
}
