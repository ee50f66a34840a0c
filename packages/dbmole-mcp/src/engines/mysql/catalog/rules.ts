import { Failure } from '@dbmole/core';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';

type Row = readonly (string | null)[];

/** The rows of a table by their kind. */
interface TableRows {
  schema: string;
  table: string;
  rows: Map<string, Row[]>;
}

/** Each costs a statement of its own. */
const maxStatements = 50;

interface Missing {
  /** The table that refers. */
  schema: string;
  table: string;
  constraint: string;
  add(update: string, remove: string): void;
}

/**
 * What happens to a reference on a change is in a view of MariaDB that is empty for accounts which can only read. The statement of
 * the table, which they may read, says it as well. A rule that cannot be found is `unknown`: nothing else may pass for it.
 */
export async function addMissingRules(run: CatalogRun, groups: Iterable<TableRows>): Promise<void> {
  const missing = [...groups].flatMap((group) => [...listOutgoing(group), ...listIncoming(group)]);
  const statements = new Map<string, readonly string[]>();
  for (const { schema, table, constraint, add } of missing) {
    const place = `${formatIdentifier(schema)}.${formatIdentifier(table)}`;
    const known = statements.get(place) ?? (statements.size < maxStatements ? await readStatement(run, place) : undefined);
    if (known !== undefined) statements.set(place, known);
    const { update, remove } = findRules(known ?? [], constraint) ?? { update: '', remove: 'unknown' };
    add(update, remove);
  }
}

function listOutgoing({ schema, table, rows }: TableRows): Missing[] {
  const known = new Set(rows.get('rule')?.map(([name]) => name));
  const names = new Set(rows.get('reference')?.map(([name]) => name ?? ''));
  return [...names]
    .filter((name) => !known.has(name))
    .map((constraint) => ({ schema, table, constraint, add: (...rules) => addRow(rows, 'rule', [constraint, ...rules]) }));
}

function listIncoming({ rows }: TableRows): Missing[] {
  const toKey = ([name, schema, table]: Row) => JSON.stringify([name, schema, table]);
  const known = new Set(rows.get('incoming rule')?.map(toKey));
  const found = new Map(rows.get('incoming')?.map((row) => [toKey(row), row]));
  return [...found]
    .filter(([key]) => !known.has(key))
    .map(([, [name, schema, table]]) => {
      const place = { schema: schema ?? '', table: table ?? '', constraint: name ?? '' };
      const add = (update: string, remove: string) =>
        addRow(rows, 'incoming rule', [place.constraint, place.schema, place.table, update, remove]);
      return { ...place, add };
    });
}

function addRow(rows: Map<string, Row[]>, what: string, row: Row): void {
  rows.set(what, [...(rows.get(what) ?? []), row]);
}

interface Rules {
  update: string;
  remove: string;
}

async function readStatement(run: CatalogRun, place: string): Promise<readonly string[]> {
  try {
    const [row] = await run(`show create table ${place}`);
    return (row?.[1] ?? '').split('\n');
  } catch (error) {
    // The account may see some columns of the table and not its statement.
    if (error instanceof Failure && error.kind !== 'timeout' && error.kind !== 'cancelled') return [];
    throw error;
  }
}

const rule = '(RESTRICT|CASCADE|SET NULL|NO ACTION|SET DEFAULT)';
const actions = new RegExp(`(?: ON DELETE ${rule})?(?: ON UPDATE ${rule})?,?$`);

/** Each constraint has a line, which ends with its rules; those that are left out are the default. MariaDB writes its name as it is. */
function findRules(statement: readonly string[], constraint: string): Rules | undefined {
  const starts = ['`', '"'].flatMap((quote) =>
    [constraint, constraint.replaceAll(quote, quote + quote)].map((name) => `  CONSTRAINT ${quote}${name}${quote} FOREIGN KEY (`),
  );
  const line = statement.find((one) => starts.some((start) => one.startsWith(start)));
  if (line === undefined) return undefined;
  const [, remove = '', update = ''] = actions.exec(line) ?? [];
  return { update, remove };
}
