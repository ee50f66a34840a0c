import { type BaseConnection, connectionName } from '../connection.ts';
import { Failure, toFailure } from '../failure.ts';
import type { Backend } from '../manager/backend.ts';
import { nearestNames } from '../nearest.ts';
import { escapeText } from '../registry/expand.ts';
import type { Findings, FoundConnection, Importer } from '../registry/importer.ts';
import { isOpReference } from '../registry/op-reference.ts';
import { canonical, type Fields, mapStrings, stringsOf } from '../registry/tree.ts';
import type { CommandCall } from './command.ts';
import { askPerson, isYes } from './confirm.ts';
import { exitCodes } from './exit-codes.ts';
import { formatPersonAdvice } from './person-hint.ts';
import { formatColumns, saidColumns } from './table.ts';

/**
 * Takes over what files and variables of other programs know. Passwords stay where they are: what is added refers to them. What a
 * file says is text, never followed: a `.env` may have come with somebody's repository.
 */
export async function importConnections<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { terminal, leaf } = call;
  const { found, notes, sources } = await look(call);
  for (const note of notes) terminal.printError(`left out: ${note}`);
  const offers = await newOnes(found, call);
  if (offers.length === 0) {
    terminal.print(
      found.length === 0
        ? `Nothing was found in ${sources.join(', ')}.`
        : `All ${found.length} that were found are there already.`,
    );
    return exitCodes.ok;
  }
  terminal.print(formatOffers(offers));
  const chosen = await choose(offers, call);
  const outcomes: Outcome[] = [];
  for (const offer of chosen) outcomes.push(await addOne(offer, call));
  if (outcomes.includes('added')) {
    terminal.print(`They are read-only: \`${leaf.name} connections update NAME readonly=false\` opens one to writing.`);
    terminal.print(`\`${leaf.name} connections test\` says which of them answer.`);
  }
  return outcomes.includes('failed') ? exitCodes.failed : exitCodes.ok;
}

type Outcome = 'added' | 'skipped' | 'failed';

async function look<C extends BaseConnection, B extends Backend>({
  leaf,
  terminal,
  words,
}: CommandCall<C, B>): Promise<Findings & { sources: readonly string[] }> {
  const importers = (await leaf.importers?.()) ?? [];
  const { env, cwd, home } = terminal;
  const named = importersNamed(words, importers);
  const all = named.map((importer): Findings => {
    try {
      return importer.find({ env, cwd, home });
    } catch (error) {
      return { found: [], notes: [formatPersonAdvice(toFailure(error), leaf.name)] };
    }
  });
  const sources = named.map(({ source }) => source);
  return { found: all.flatMap(({ found }) => found), notes: all.flatMap(({ notes }) => notes), sources };
}

/** All of them, unless one is named; with or without the dot that hides its file. */
function importersNamed([source]: readonly string[], importers: readonly Importer[]): readonly Importer[] {
  const sources = importers.map((importer) => importer.source);
  if (sources.length === 0)
    throw new Failure('unknown', 'this server knows of nothing to import from', {
      hint: 'Use add_connection.',
      personHint: 'Add one yourself: `connections add NAME URL`.',
    });
  const hint = `There are ${sources.join(', ')}.`;
  if (source === undefined) return importers;
  const plain = (name: string) => name.replace(/^\./, '');
  const chosen = importers.filter((importer) => plain(importer.source) === plain(source));
  if (chosen.length > 0) return chosen;
  const nearest = nearestNames(source, sources);
  throw new Failure('input', `connections import does not know ${JSON.stringify(source.slice(0, 60))}`, { nearest, hint });
}

/** Under names that are free, without those that are configured already or stand twice. */
async function newOnes<C extends BaseConnection, B extends Backend>(
  found: readonly FoundConnection[],
  { app, leaf }: CommandCall<C, B>,
): Promise<FoundConnection[]> {
  const { entries } = await app.registry.list();
  const names = new Set(entries.map(({ name }) => name));
  const places = new Set(entries.flatMap(({ config }) => (config === undefined ? [] : canonical(leaf.publicView(config)))));
  const offers: FoundConnection[] = [];
  for (const one of found) {
    const place = canonical(one.shown);
    if (places.has(place)) continue;
    const name = freeName(one.name, names);
    places.add(place);
    names.add(name);
    offers.push({ ...one, name });
  }
  return offers;
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
  const question = 'Add which, read-only? (all, or names; nothing for none)';
  const answer = await askPerson(terminal, { question, instead: 'pass --yes to add all' });
  const names = answer.split(/[\s,]+/).filter((name) => name !== '' && !/^no?(ne)?$/i.test(name));
  if (names.length === 1 && /^(all|y|yes)$/i.test(names[0] ?? '')) return offers;
  const known = offers.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return offers.filter(({ name }) => names.includes(name));
  throw new Failure('input', `${JSON.stringify(unknown.slice(0, 64))} is none of them, so nothing was added`, {
    nearest: nearestNames(unknown, known),
  });
}

async function addOne<C extends BaseConnection, B extends Backend>(
  offer: FoundConnection,
  { app, leaf, terminal, options }: CommandCall<C, B>,
): Promise<Outcome> {
  const { name, fields, references, password } = offer;
  const question = `${name}: its password ${password} into your own store, where it is in the clear. Copy it? [y/N] `;
  if (offer.copies && (options.yes || !isYes((await terminal.ask(question)) ?? ''))) {
    const way = options.yes ? ': without --yes you are asked' : '';
    terminal.printError(`${name} is not added, because its password ${password}${way}.`);
    return 'skipped';
  }
  try {
    const entry = await app.registry.person.add({ name, ...asText(fields), ...references, readonly: true });
    terminal.print(`Added ${name} to ${entry.origin.where}.`);
    return 'added';
  } catch (error) {
    terminal.printError(`${name} is not added: ${formatPersonAdvice(toFailure(error), leaf.name)}`);
    return 'failed';
  }
}

/** What a person writes is followed, and this was not written by the person who runs the command. */
function asText(fields: Fields): Fields {
  const reference = [...stringsOf(fields)].find(({ text }) => isOpReference(text));
  if (reference !== undefined) {
    throw new Failure('refused', 'it holds an op:// reference where a value is expected', {
      code: 'E_SECRET_REFERENCE',
      hint: 'Use add_connection.',
      personHint: 'If it is yours, write it with `connections add`.',
    });
  }
  // Strings change into strings and the outermost value stays an object.
  return mapStrings(fields, escapeText) as Fields;
}
