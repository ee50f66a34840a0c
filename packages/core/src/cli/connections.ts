import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Backend } from '../manager/backend.ts';
import { nearestNames } from '../nearest.ts';
import type { Entry } from '../registry/registry.ts';
import type { CommandCall } from './command.ts';
import { confirm } from './confirm.ts';
import { exitCodes } from './exit-codes.ts';
import { parseFields } from './fields.ts';
import { importConnections } from './import.ts';
import { formatProblem, reach } from './reach.ts';
import { formatColumns } from './table.ts';

type Work = <C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>) => Promise<number>;

const actions: Readonly<Record<string, Work>> = { list, test, add, update, remove, import: importConnections };

/** What is configured, for a person. Changes go to the person's own store, and may hold what no tool may say. */
export async function connections<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = 'list', ...words] = call.words;
  const action = actions[name];
  if (action === undefined) {
    throw new Failure('input', `connections does not know ${JSON.stringify(name)}`, {
      nearest: nearestNames(name, Object.keys(actions)),
      hint: `There are ${Object.keys(actions).join(', ')}.`,
    });
  }
  return await action({ ...call, words });
}

/** Columns of `list`. */
const wide = ['readonly', 'from', 'problem'];

async function list<C extends BaseConnection, B extends Backend>({ app, leaf, terminal }: CommandCall<C, B>): Promise<number> {
  const { entries, problems } = await app().registry.list();
  const views = entries.map((entry) => viewOf(entry, (config) => leaf.publicView(config)));
  const all = [...new Set(views.flatMap((view) => Object.keys(view)))];
  // The long ones stand last, also where the first connection has a problem and so no fields.
  const columns = [...all.filter((column) => !wide.includes(column)), ...wide.filter((column) => all.includes(column))];
  if (entries.length === 0) terminal.printError(`No connections are configured. Add one: ${leaf.name} connections add NAME URL`);
  else {
    const rows = views.map((view) => columns.map((column) => view[column] ?? ''));
    terminal.print(formatColumns(columns, rows));
  }
  for (const { failure } of problems) terminal.printError(formatProblem(failure, leaf.name));
  return problems.length > 0 || entries.some(({ problem }) => problem !== undefined) ? exitCodes.failed : exitCodes.ok;
}

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
    ...(problem === undefined ? {} : { problem: problem.message }),
  };
}

async function test<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name] = call.words;
  const { registry } = call.app();
  const names = name === undefined ? (await registry.list()).entries.map((entry) => entry.name) : [name];
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

async function add<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name, ...words] = call.words;
  if (name === undefined || words.length === 0) throw needs(call, 'add NAME URL, or add NAME KEY=VALUE…');
  const fields = { name, ...parseFields(words, call.leaf.toolSchema) };
  const password = await askPassword(fields, call);
  const entry = await call.app().registry.person.add({ ...fields, ...(password ? { password } : {}) });
  call.terminal.print(`Added ${entry.name} to ${entry.origin.where}.`);
  return await test({ ...call, words: [name] });
}

/** Only where none is said, and a person is there to type it. */
async function askPassword<C extends BaseConnection, B extends Backend>(
  fields: Readonly<Record<string, unknown>>,
  { terminal }: CommandCall<C, B>,
): Promise<string | undefined> {
  const { url, password, apiKey, auth } = fields;
  const isSaid = [password, apiKey, auth].some((value) => value !== undefined) || /:\/\/[^/@]*:[^/@]*@/.test(String(url ?? ''));
  return isSaid ? undefined : await terminal.askSecret('Password (nothing for none): ');
}

async function update<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name, ...words] = call.words;
  if (name === undefined || words.length === 0) throw needs(call, 'update NAME KEY=VALUE… (an empty value removes the key)');
  const entry = await call.app().registry.person.update(name, parseFields(words, call.leaf.toolSchema));
  call.terminal.print(`Updated ${entry.name} in ${entry.origin.where}.`);
  return exitCodes.ok;
}

async function remove<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name] = call.words;
  if (name === undefined) throw needs(call, 'remove NAME');
  const { registry } = call.app();
  const { origin } = await findEntry(registry, name);
  const question = `Remove ${name} from ${origin.where}?`;
  if (!(await confirm(call.terminal, { question, yes: call.options.yes }))) return exitCodes.failed;
  await registry.person.remove(name);
  call.terminal.print(`Removed ${name}.`);
  return exitCodes.ok;
}

/** Also one that cannot be used as it stands. */
async function findEntry<C extends BaseConnection>(
  registry: Pick<ReturnType<CommandCall<C, Backend>['app']>['registry'], 'list'>,
  name: string,
): Promise<Entry<C>> {
  const { entries } = await registry.list();
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const names = entries.map((entry) => entry.name);
  throw new Failure('unknown', `there is no connection "${name}"`, { nearest: nearestNames(name, names) });
}

function needs<C extends BaseConnection, B extends Backend>({ leaf }: CommandCall<C, B>, form: string): Failure {
  return new Failure('input', 'this is not enough', { hint: `Write ${leaf.name} connections ${form}.` });
}
