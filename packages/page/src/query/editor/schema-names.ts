import { callTool } from '../../api.ts';
import { decodeText, parseTable } from '../../grid/parse-table.ts';
import type { KnownTable } from './complete-names.ts';
import { type NameRules, splitName, unquote } from './sql-names.ts';

const maxTables = 5_000;
/** What one call describes. */
const maxDescribed = 20;

/** The tables of one connection, and the columns of those that are used. Nothing is read before a statement is written. */
export class SchemaNames {
  readonly #connection: string;
  readonly #rules: NameRules;
  #tables: KnownTable[] = [];
  #reading: Promise<void> | undefined;
  readonly #asked = new Set<string>();

  constructor(connection: string, rules: NameRules) {
    this.#connection = connection;
    this.#rules = rules;
  }

  get tables(): readonly KnownTable[] {
    return this.#tables;
  }

  get rules(): NameRules {
    return this.#rules;
  }

  /** Without its names the editor works as well, so a failure is not shown; the statement will have it. */
  async load(): Promise<void> {
    this.#reading ??= this.#readTables().catch(() => undefined);
    await this.#reading;
  }

  /** Reads the columns of tables that have none yet. */
  async describe(tables: readonly KnownTable[]): Promise<void> {
    const wanted = tables
      .filter((table) => table.columns === undefined && !this.#asked.has(writePath(table)))
      .slice(0, maxDescribed);
    if (wanted.length === 0) return;
    for (const table of wanted) this.#asked.add(writePath(table));
    const args = { connection: this.#connection, tables: wanted.map(writePath), parts: ['columns'] };
    const { text, isError } = await callTool('describe_table', args).catch(() => ({ text: '', isError: true }));
    if (isError) return;
    const described = parseColumns(text);
    this.#tables = this.#tables.map((table) => {
      const columns = described.get(writePath(table)) ?? described.get(writePlainPath(table));
      return columns === undefined ? table : { ...table, columns };
    });
  }

  async #readTables(): Promise<void> {
    let offset: number | undefined = 0;
    while (offset !== undefined && this.#tables.length < maxTables) {
      const { table } = await callTool('list_tables', { connection: this.#connection, limit: 1_000, offset });
      if (table === null) break;
      const names = parseTable(table).rows.flatMap(([cell]) => (cell?.text && cell.mark === '' ? decodeText(cell.text) : []));
      this.#tables = [...this.#tables, ...names.map((name) => this.#toTable(name))];
      offset = table.nextOffset;
    }
  }

  /** Only where names are folded does the list quote them, and a dot in it separates. */
  #toTable(listed: string): KnownTable {
    const parts = this.#rules.folds ? splitName(listed) : listed.split('.');
    const [name = '', schema] = parts.length === 2 ? parts.toReversed() : [this.#rules.folds ? unquote(listed) : listed];
    return { schema, name, columns: undefined };
  }
}

/** As the tools take it, which find a name without quotes in its exact case. */
function writePath({ schema, name }: KnownTable): string {
  return [...(schema === undefined ? [] : [schema]), name].map(quoteOdd).join('.');
}

function writePlainPath({ schema, name }: KnownTable): string {
  return schema === undefined ? name : `${schema}.${name}`;
}

function quoteOdd(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

const nameAtStart = /^(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|[^\s,"`]+)/;

/** The columns of each table in an answer of `describe_table`: a line for each, or for neighbors of one type. */
export function parseColumns(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let columns: string[] = [];
  for (const line of text.split('\n').slice(1)) {
    if (line.startsWith('  ')) columns.push(...parseNames(line.slice(2)));
    else {
      columns = [];
      found.set(line.slice(0, Math.max(0, line.lastIndexOf(': '))), columns);
    }
  }
  return found;
}

function parseNames(line: string): string[] {
  const names: string[] = [];
  let rest = line;
  for (;;) {
    const [name] = nameAtStart.exec(rest) ?? [];
    if (name === undefined) return names;
    names.push(unquote(name));
    rest = rest.slice(name.length);
    if (!rest.startsWith(', ')) return names;
    rest = rest.slice(2);
  }
}
