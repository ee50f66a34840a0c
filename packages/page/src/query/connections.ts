import { callTool, run } from '../api.ts';
import { parseTable } from '../grid/parse-table.ts';

export interface ConnectionChoice {
  name: string;
  /** The engine; empty if the connection cannot be used. */
  type: string;
  description: string;
}

interface Offer {
  connections: readonly ConnectionChoice[];
  tools: ReadonlySet<string>;
  /** Says why no connection can be used; empty if one can. */
  problem: string;
}

/** What there is to query, and which tools the server has. */
export async function readOffer(): Promise<Offer> {
  const [{ text, table, isError }, { tools }] = await Promise.all([
    callTool('list_connections', { limit: 1_000 }),
    run<{ tools: readonly { name: string }[] }>('tools', 'list', {}),
  ]);
  const names = new Set(tools.map(({ name }) => name));
  if (table === null || isError) return { connections: [], tools: names, problem: text };
  const { columns, rows } = parseTable(table);
  const read = (row: (typeof rows)[number], column: string) => row[columns.indexOf(column)]?.text ?? '';
  const connections = rows
    .filter((row) => read(row, 'state') !== 'unusable')
    .map((row) => ({ name: read(row, 'name'), type: read(row, 'type'), description: read(row, 'description') }));
  return { connections, tools: names, problem: connections.length === 0 ? text : '' };
}
