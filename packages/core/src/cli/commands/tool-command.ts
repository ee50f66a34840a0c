import { dataMark } from '../../answer/first-line.ts';
import type { Person } from '../../approval/person.ts';
import type { BaseConnection } from '../../connection.ts';
import type { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import type { ToolCommand } from '../../program/cli-query.ts';
import { confirmChange } from '../approval/confirm-change.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { formatColumns } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The limit of rows; the command line cannot read on as a caller of tools does. */
const maxRows = 1_000;

/** A command that does what a tool does, for a person: the same answer, with its first line apart and its rows aligned. */
export async function runTool<C extends BaseConnection, B extends Backend>(
  { tool, argumentsOf, isTable }: ToolCommand,
  { app, terminal, words, options }: CommandCall<C, B>,
): Promise<number> {
  const [connection = '', ...rest] = words;
  const { database, schema, limit, analyze, parts, kind, without } = options;
  const rows = limit === undefined && isTable ? maxRows : limit;
  const given = {
    connection,
    database,
    schema,
    limit: rows === undefined ? undefined : Number(rows),
    analyze,
    parts: parts?.split(','),
    kind,
    without,
  };
  const args = Object.fromEntries(Object.entries({ ...given, ...argumentsOf(rest) }).filter(([, value]) => value !== undefined));
  return await callTool({ app, terminal }, { tool, args, isTable, waiting: `asking ${connection}` });
}

interface ToolCall {
  tool: string;
  args: Readonly<Record<string, unknown>>;
  /** The answer is CSV. */
  isTable: boolean;
  /** What a person is told while they wait. */
  waiting: string;
  /** How a change is confirmed; in the terminal, if left out. */
  person?: Person;
}

/** Calls a tool for a person: the first line of the answer goes to stderr, and a failure is thrown. */
export async function callTool<C extends BaseConnection, B extends Backend>(
  { app, terminal }: Pick<CommandCall<C, B>, 'app' | 'terminal'>,
  { tool, args, isTable, waiting: what, person = askInTerminal(terminal) }: ToolCall,
): Promise<number> {
  const stop = new AbortController();
  const forget = terminal.onInterrupt(() => stop.abort());
  const waiting = terminal.busy(what);
  try {
    let failed: Failure | undefined;
    const reply = await app.toolServer.call(tool, args, {
      signal: stop.signal,
      progressToken: undefined,
      isCommand: true,
      person: afterWaiting(person, waiting),
      notify: async () => undefined,
      onFailure(failure) {
        failed = failure;
      },
    });
    if (failed !== undefined) throw failed;
    const [head = '', ...lines] = (reply.content[0]?.text ?? '').split('\n');
    waiting();
    const body = lines.join('\n');
    terminal.printError(head.replace(dataMark, '').trimEnd());
    if (body !== '') terminal.print(isTable && terminal.isTerminal ? formatTable(body) : body);
    return exitCodes.ok;
  } finally {
    waiting();
    forget();
  }
}

function askInTerminal(terminal: Terminal): Person {
  return { place: 'terminal', ask: (message) => confirmChange(terminal, message) };
}

/** Nothing else is shown where a person reads the question. */
function afterWaiting(person: Person, end: () => void): Person {
  const ask: Person['ask'] = async (message, signal) => {
    end();
    return (await person.ask?.(message, signal)) ?? 'unable';
  };
  return { ...person, ask };
}

function formatTable(csv: string): string {
  const [head = [], ...rows] = parseCsv(csv);
  return formatColumns(head, rows);
}

/** The records of our own CSV: quotes only where they are needed, and doubled inside. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/y;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const [, quoted, plain = '', end] = field.exec(text) ?? [undefined, undefined, text.slice(at), ''];
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end === ',' && field.lastIndex === text.length) rows.at(-1)?.push('');
    if (end !== ',' && field.lastIndex < text.length) rows.push([]);
  }
  return rows;
}
