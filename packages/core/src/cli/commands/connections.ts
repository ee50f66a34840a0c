import type { BaseConnection } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import { findEntry } from '../../registry/lookup.ts';
import type { Entry } from '../../registry/registry.ts';
import { listSecretFields, secretPlacesIn } from '../../registry/schema-fields.ts';
import { type Fields, isFields, replaceAt, valueAt } from '../../registry/tree.ts';
import { formatHidden } from '../../tools/connections/connection-list.ts';
import { viewConnection } from '../../tools/connections/destinations.ts';
import { formatWay } from '../../tools/connections/route-text.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatColumns, saidColumns } from '../terminal/table.ts';
import { formatProblem, reach } from './reach.ts';

/** The last columns of `list`. */
const wide = ['readonly', 'description', 'from', 'problem', 'note'];

export async function list<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { app, definition, terminal } = call;
  const { entries, problems } = await app.registry.list();
  const views = entries.map((entry) => toView(entry, (config) => viewConnection(definition.connections, config)));
  const all = [...new Set(views.flatMap((view) => Object.keys(view)))];
  // The long ones come last, also where the first connection has a problem and so no fields.
  const ordered = [...all.filter((column) => !wide.includes(column)), ...wide.filter((column) => all.includes(column))];
  const columns = saidColumns(ordered, views);
  if (entries.length === 0) printNone(call);
  else {
    const rows = views.map((view) => columns.map((column) => view[column] ?? ''));
    terminal.print(formatColumns(columns, rows));
  }
  // A file that is not allowed is the problem of each of its connections.
  const failures = [...problems.map(({ failure }) => failure), ...entries.flatMap(({ problem }) => problem ?? [])];
  for (const text of new Set(failures.map((failure) => formatProblem(failure, definition.program.name))))
    terminal.printError(text);
  return failures.length > 0 ? exitCodes.failed : exitCodes.ok;
}

function printNone<C extends BaseConnection, B extends Backend>({ definition, terminal }: CommandCall<C, B>): void {
  terminal.printError(`No connections are configured. Add one: ${definition.program.name} connections add NAME URL`);
}

/** What is wrong with a connection is printed in full below the table. */
function toView<C extends BaseConnection>(
  { name, config, origin, problem, shadows }: Entry<C>,
  publicView: (config: C) => Readonly<Record<string, unknown>>,
): Record<string, string> {
  const shown = config === undefined ? {} : publicView(config);
  const fields = Object.entries(shown).map(([key, value]) => [key, value === undefined ? '' : String(value)]);
  return {
    name,
    ...Object.fromEntries(fields),
    ssh: config?.ssh === undefined ? '' : formatWay(config.ssh, undefined),
    readonly: config === undefined ? '' : String(config.readonly),
    description: config?.description ?? '',
    from: origin.where,
    problem: problem?.code ?? '',
    note: formatHidden(shadows),
  };
}

export async function test<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { entries, problems } = await call.app.registry.list();
  const names = call.words.length === 0 ? entries.map((entry) => entry.name) : call.words;
  if (names.length === 0) {
    printNone(call);
    for (const { failure } of problems) call.terminal.printError(formatProblem(failure, call.definition.program.name));
    return exitCodes.failed;
  }
  const tested = await Promise.all(names.map((one) => testOne(one, call)));
  call.terminal.print(
    formatColumns(
      ['name', 'status', 'ms', 'result'],
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
  const took = Math.round(performance.now() - started).toString();
  if ('failure' in reached) {
    const problem = formatProblem(reached.failure, call.definition.program.name, { connection: name });
    return { ok: false, cells: [name, 'failed', took, problem] };
  }
  return { ok: true, cells: [name, 'ok', took, reached.lines.join('; ')] };
}

/** Everything but the secrets: of those, where they are, or that they are stored. */
export async function show<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = ''] = call.words;
  const { terminal, definition } = call;
  const { config, problem, origin, shadows } = findEntry(await call.app.registry.list(), name);
  const hidden = formatHidden(shadows);
  const fields = Object.entries(withoutSecrets({ ...config }, definition.connections.schema)).map(([key, value]) => [
    key,
    readText(value),
  ]);
  const more = [['from', origin.where], ...(hidden === '' ? [] : [['note', hidden]])];
  terminal.print(formatColumns(['field', 'value'], [...fields, ...more]));
  if (problem !== undefined) terminal.printError(formatProblem(problem, definition.program.name, { connection: name }));
  return problem === undefined ? exitCodes.ok : exitCodes.failed;
}

function withoutSecrets(config: Fields, schema: Parameters<typeof listSecretFields>[0]): Fields {
  const places = secretPlacesIn(config, listSecretFields(schema));
  const literal = places.filter(({ path, kind }) => typeof valueAt(config, path) === 'string' && kind === 'value');
  return literal.reduce((shown, { path }) => replaceAt(shown, path, '(stored)'), config);
}

function readText(value: unknown): string {
  return isFields(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}

export async function rename<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = '', to = ''] = call.words;
  const entry = await call.app.registry.person.rename(name, to);
  call.terminal.print(`Renamed ${name} to ${entry.name}.`);
  return exitCodes.ok;
}

export async function remove<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = ''] = call.words;
  const { registry } = call.app;
  const { origin } = findEntry(await registry.list(), name);
  const question = `Remove ${name} from ${origin.where}?`;
  if (!(await confirm(call.terminal, { question, yes: call.options.yes }))) return exitCodes.failed;
  await registry.person.remove(name);
  call.terminal.print(`Removed ${name}.`);
  return exitCodes.ok;
}
