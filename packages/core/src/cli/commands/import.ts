import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BaseConnection, connectionName } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { nearestNames } from '../../nearest.ts';
import { escapeText } from '../../registry/secrets/expand.ts';
import { isOpReference } from '../../registry/secrets/op-reference.ts';
import type { Findings, FoundConnection, Importer } from '../../registry/sources/importer.ts';
import { canonical, type Fields, listStrings, mapStrings } from '../../registry/tree.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { askPerson, isYes } from '../terminal/confirm.ts';
import { formatColumns, saidColumns } from '../terminal/table.ts';
import { formatProblem } from './reach.ts';

/**
 * Takes over what files and variables of other programs know. Passwords stay where they are: what is added refers to them. What a
 * file says is text, never followed: a `.env` may have come with a repository.
 */
export async function importConnections<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { terminal, definition } = call;
  const { found, notes, sources } = await look(call);
  for (const note of new Set(notes)) terminal.printError(`skipped: ${note}`);
  const { offers, known } = await sortOut(found, call);
  for (const { name, as } of known) terminal.printError(`already configured: ${name}${as === name ? '' : `, as ${as}`}`);
  if (offers.length === 0) {
    terminal.print(
      found.length === 0
        ? `Nothing was found in ${sources.join(', ')}.`
        : `All ${found.length} that were found are already configured.`,
    );
    return exitCodes.ok;
  }
  terminal.print(formatOffers(offers));
  const chosen = await choose(offers, call);
  const outcomes: Outcome[] = [];
  for (const offer of chosen) outcomes.push(await addOne(offer, call));
  if (outcomes.includes('added')) {
    terminal.print(`They are read-only. To allow changes: ${definition.program.name} connections update NAME readonly=false`);
    terminal.print(`To check them: ${definition.program.name} connections test`);
  }
  return outcomes.includes('failed') ? exitCodes.failed : exitCodes.ok;
}

type Outcome = 'added' | 'skipped' | 'failed';

async function look<C extends BaseConnection, B extends Backend>({
  definition,
  terminal,
  words,
}: CommandCall<C, B>): Promise<Findings & { sources: readonly string[] }> {
  const importers = (await definition.connections.importers?.()) ?? [];
  const { env, cwd, home } = terminal;
  const { named, path } = importersNamed(words, { importers, cwd });
  const all = named.map((importer): Findings => {
    try {
      return importer.find({ env, cwd, home, ...(path !== undefined && { path }) });
    } catch (error) {
      return { found: [], notes: [formatProblem(error, definition.program.name)] };
    }
  });
  const sources = path === undefined ? named.map(({ source }) => source) : [path];
  return { found: all.flatMap(({ found }) => found), notes: all.flatMap(({ notes }) => notes), sources };
}

interface Named {
  named: readonly Importer[];
  path?: string;
}

/** All of them, unless one is named, with or without the dot that hides its file; or a file of a kind that may lie anywhere. */
function importersNamed([source]: readonly string[], { importers, cwd }: { importers: readonly Importer[]; cwd: string }): Named {
  const sources = importers.map((importer) => importer.source);
  if (sources.length === 0)
    throw new Failure('unknown', 'there are no sources to import from', {
      hint: { run: 'connections add NAME URL', to: 'add a connection' },
    });
  if (source === undefined) return { named: importers };
  const plain = (name: string) => name.replace(/^\./, '');
  const chosen = importers.filter((importer) => plain(importer.source) === plain(source));
  if (chosen.length > 0) return { named: chosen };
  const readers = importers.filter(({ takesPath }) => takesPath);
  const path = resolve(cwd, source);
  if (readers.length > 0 && statSync(path, { throwIfNoEntry: false })?.isFile()) return { named: readers, path };
  throw new Failure('input', `unknown source ${JSON.stringify(source.slice(0, 60))}, and there is no such file`, {
    nearest: nearestNames(source, sources),
    hint: `Use ${sources.join(', ')}${readers.length === 0 ? '' : ', or the path of a .env file'}.`,
  });
}

/** Under names that are free, each place once; and those that are configured already, with the name that they have. */
async function sortOut<C extends BaseConnection, B extends Backend>(
  found: readonly FoundConnection[],
  { app, definition }: CommandCall<C, B>,
): Promise<{ offers: FoundConnection[]; known: { name: string; as: string }[] }> {
  const { entries: all } = await app.registry.list();
  // What is used only because nothing is configured is no reason not to import it.
  const entries = all.filter(({ origin }) => origin.where !== definition.connections.urlVariable?.name);
  const names = new Set(entries.map(({ name }) => name));
  const places = new Map(
    entries.flatMap(({ name, config }) =>
      config === undefined ? [] : [[formatPlace(definition.connections.publicView(config)), name] as const],
    ),
  );
  const offers: FoundConnection[] = [];
  const offered = new Set<string>();
  const known: { name: string; as: string }[] = [];
  for (const one of found) {
    const place = formatPlace(one.shown);
    const as = places.get(place);
    if (as !== undefined && !known.some((other) => other.as === as)) known.push({ name: one.name, as });
    if (as !== undefined || offered.has(place)) continue;
    const name = freeName(one.name, names);
    offered.add(place);
    names.add(name);
    offers.push({ ...one, name });
  }
  return { offers, known };
}

/** Programs call one server by several types. */
function formatPlace({ type, ...place }: Fields): string {
  return canonical(place);
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const plain = wanted
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 56);
  const name = connectionName.safeParse(plain).success ? plain : 'imported';
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}-${count}`;
  return free;
}

function formatOffers(offers: readonly FoundConnection[]): string {
  const views = offers.map(({ shown }) => shown);
  const columns = saidColumns([...new Set(views.flatMap((view) => Object.keys(view)))], views);
  const rows = offers.map(({ name, shown, password }) => [
    name,
    ...columns.map((column) => (shown[column] === undefined ? '' : String(shown[column]))),
    password,
  ]);
  return formatColumns(['name', ...columns, 'password'], rows);
}

async function choose<C extends BaseConnection, B extends Backend>(
  offers: readonly FoundConnection[],
  { terminal, options }: CommandCall<C, B>,
): Promise<readonly FoundConnection[]> {
  if (options.yes) return offers;
  const question = 'Which ones? (all, names, or Enter for none; they are added read-only)';
  const answer = await askPerson(terminal, { question, instead: 'pass --yes to add all' });
  const names = answer.split(/[\s,]+/).filter((name) => name !== '' && !/^no?(ne)?$/i.test(name));
  if (names.length === 1 && /^(all|y|yes)$/i.test(names[0] ?? '')) return offers;
  const known = offers.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return offers.filter(({ name }) => names.includes(name));
  throw new Failure('input', `${JSON.stringify(unknown.slice(0, 64))} is not one of them; nothing was added`, {
    nearest: nearestNames(unknown, known),
  });
}

async function addOne<C extends BaseConnection, B extends Backend>(
  offer: FoundConnection,
  { app, definition, terminal, options }: CommandCall<C, B>,
): Promise<Outcome> {
  const { name, fields, references, password } = offer;
  const question = `${name}: its password ${password} into your own store, in plain text. Copy it? [y/N] `;
  if (offer.copies && (options.yes || !isYes((await terminal.ask(question)) ?? ''))) {
    const way = options.yes ? ', which needs your consent; run this without --yes' : '';
    terminal.printError(`${name} was not added: its password ${password}${way}.`);
    return 'skipped';
  }
  try {
    const entry = await app.registry.person.add({ name, ...asText(fields), ...references, readonly: true });
    terminal.print(`Added ${name} to ${entry.origin.where}.`);
    return 'added';
  } catch (error) {
    terminal.printError(`${name} was not added: ${formatProblem(error, definition.program.name)}`);
    return 'failed';
  }
}

/** What a person writes is followed, and this was not written by the person who runs the command. */
function asText(fields: Fields): Fields {
  const reference = [...listStrings(fields)].find(({ text }) => isOpReference(text));
  if (reference !== undefined) {
    throw new Failure('refused', 'an op:// reference is not accepted in an imported value', {
      code: 'E_SECRET_REFERENCE',
      hint: { run: 'connections add NAME URL', to: 'add it yourself if the reference is yours' },
    });
  }
  // Strings change into strings and the outermost value stays an object.
  return mapStrings(fields, escapeText) as Fields;
}
