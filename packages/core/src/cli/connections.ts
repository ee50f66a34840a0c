import type { BaseConnection } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import { unknownName } from '../registry/lookup.ts';
import type { Entry } from '../registry/registry.ts';
import type { CommandCall } from './command.ts';
import { confirm } from './confirm.ts';
import { exitCodes } from './exit-codes.ts';
import { parseFields } from './fields.ts';
import { formatProblem, reach } from './reach.ts';
import { formatColumns, saidColumns } from './table.ts';

/** Columns of `list`. */
const wide = ['readonly', 'from', 'problem'];

export async function list<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { app, leaf, terminal } = call;
  const { entries, problems } = await app.registry.list();
  const views = entries.map((entry) => viewOf(entry, (config) => leaf.publicView(config)));
  const all = [...new Set(views.flatMap((view) => Object.keys(view)))];
  // The long ones stand last, also where the first connection has a problem and so no fields.
  const ordered = [...all.filter((column) => !wide.includes(column)), ...wide.filter((column) => all.includes(column))];
  const columns = saidColumns(ordered, views);
  if (entries.length === 0) sayNone(call);
  else {
    const rows = views.map((view) => columns.map((column) => view[column] ?? ''));
    terminal.print(formatColumns(columns, rows));
  }
  // A file that nobody has allowed is the problem of each of its connections.
  const failures = [...problems.map(({ failure }) => failure), ...entries.flatMap(({ problem }) => problem ?? [])];
  for (const text of new Set(failures.map((failure) => formatProblem(failure, leaf.name)))) terminal.printError(text);
  return failures.length > 0 ? exitCodes.failed : exitCodes.ok;
}

function sayNone<C extends BaseConnection, B extends Backend>({ leaf, terminal }: CommandCall<C, B>): void {
  terminal.printError(`No connections are configured. Add one: ${leaf.name} connections add NAME URL`);
}

/** What is wrong with one connection stands in full below the table. */
function viewOf<C extends BaseConnection>(
  { name, config, origin, problem }: Entry<C>,
  publicView: (config: C) => Readonly<Record<string, unknown>>,
): Record<string, string> {
  const shown = config === undefined ? {} : publicView(config);
  const fields = Object.entries(shown).map(([key, value]) => [key, value === undefined ? '' : String(value)]);
  return {
    name,
    ...Object.fromEntries(fields),
    readonly: config === undefined ? '' : String(config.readonly),
    from: origin.where,
    ...(problem === undefined ? {} : { problem: problem.code }),
  };
}

export async function test<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name] = call.words;
  const { entries, problems } = await call.app.registry.list();
  const names = name === undefined ? entries.map((entry) => entry.name) : [name];
  if (names.length === 0) {
    sayNone(call);
    for (const { failure } of problems) call.terminal.printError(formatProblem(failure, call.leaf.name));
    return exitCodes.failed;
  }
  const tested = await Promise.all(names.map((one) => testOne(one, call)));
  call.terminal.print(
    formatColumns(
      ['name', 'answers', 'ms', 'what'],
      tested.map(({ cells }) => cells),
    ),
  );
  return tested.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.failed;
}

interface Tested {
  ok: boolean;
  cells: string[];
}

async function testOne<C extends BaseConnection, B extends Backend>(name: string, call: CommandCall<C, B>): Promise<Tested> {
  const started = performance.now();
  const reached = await reach(name, call, { signal: new AbortController().signal, audits: false });
  if (typeof reached === 'string') return { ok: false, cells: [name, 'no', '', reached] };
  return { ok: true, cells: [name, 'yes', Math.round(performance.now() - started).toString(), reached.lines.join('; ')] };
}

export async function add<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = '', ...words] = call.words;
  const fields = { name, ...parseFields(words, call.leaf.toolSchema) };
  const password = await askPassword(fields, call);
  const entry = await call.app.registry.person.add({ ...fields, ...(password ? { password } : {}) });
  call.terminal.print(`Added ${entry.name} to ${entry.origin.where}.`);
  return await test({ ...call, words: [name] });
}

/** Only where none is said, and a person is there to type it. */
async function askPassword<C extends BaseConnection, B extends Backend>(
  fields: Readonly<Record<string, unknown>>,
  { terminal }: CommandCall<C, B>,
): Promise<string | undefined> {
  const { url, password, apiKey, auth } = fields;
  const isSaid = [password, apiKey, auth].some((value) => value !== undefined) || /:\/\/[^/@:]*:[^/@]*@/.test(String(url ?? ''));
  return isSaid ? undefined : await terminal.askSecret('Password (nothing for none): ');
}

export async function update<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = '', ...words] = call.words;
  const entry = await call.app.registry.person.update(name, parseFields(words, call.leaf.toolSchema));
  call.terminal.print(`Updated ${entry.name} in ${entry.origin.where}.`);
  return exitCodes.ok;
}

export async function remove<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = ''] = call.words;
  const { registry } = call.app;
  const { origin } = await findEntry(registry, name);
  const question = `Remove ${name} from ${origin.where}?`;
  if (!(await confirm(call.terminal, { question, yes: call.options.yes }))) return exitCodes.failed;
  await registry.person.remove(name);
  call.terminal.print(`Removed ${name}.`);
  return exitCodes.ok;
}

/** Also one that cannot be used as it stands. */
async function findEntry<C extends BaseConnection>(
  registry: Pick<CommandCall<C, Backend>['app']['registry'], 'list'>,
  name: string,
): Promise<Entry<C>> {
  const { entries } = await registry.list();
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  throw unknownName(
    name,
    entries.map((entry) => entry.name),
  );
}
