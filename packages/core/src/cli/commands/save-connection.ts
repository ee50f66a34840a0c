import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { createApp, findStorePath } from '../../program/app.ts';
import type { Registry } from '../../registry/entry.ts';
import type { Fields } from '../../registry/tree.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { confirm, isYes } from '../terminal/confirm.ts';
import { parseFields, promptedFields, readSecret, requireSecret } from './fields.ts';
import { formatProblem, type Reached, reach } from './reach.ts';

const maxAttempts = 3;

/** Tries a new connection and saves it when it works, or when the person wants it anyway. */
export async function add<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = '', ...words] = call.words;
  const given = { readonly: true, name, ...parseFields(words, call.definition.connections.schema) };
  const password = await askPassword(given, call);
  const open = (fields: Fields) => call.app.registry.person.draft(fields);
  const fields = { ...given, ...(password ? { password } : {}) };
  const tried = await tryOut(fields, { name, open, call, canRetry: Boolean(password), audits: true });
  if (!(await isWanted(name, tried, call))) {
    call.terminal.printError(`${name} was not saved.`);
    return exitCodes.failed;
  }
  const entry = await call.app.registry.person.add(tried.fields);
  const mode = entry.config?.readonly === true ? 'read-only' : 'writable';
  call.terminal.print(`Added ${entry.name}, ${mode}, to ${entry.origin.where}.`);
  if (mode === 'read-only' && !('readonly' in parseFields(words, call.definition.connections.schema)))
    call.terminal.print(`To allow changes: ${call.definition.program.name} connections update ${name} readonly=false`);
  return exitCodes.ok;
}

/** Only where none is given. */
async function askPassword<C extends BaseConnection, B extends Backend>(
  given: Fields,
  call: CommandCall<C, B>,
): Promise<string | undefined> {
  const { password, apiKey, auth, file } = given;
  const isGiven = [password, apiKey, auth, file].some((value) => value !== undefined) || hasPassword(String(given.url ?? ''));
  const asks = !isGiven || call.options['password-stdin'] === true;
  // Other problems are reported before the prompt for the password; a placeholder replaces it here.
  call.app.registry.person.draft(asks ? { ...given, password: 'x' } : given);
  return asks ? await readSecret('Password (Enter for none): ', call) : undefined;
}

function hasPassword(url: string): boolean {
  return /:\/\/[^/@:]*:[^/@]*@/.test(url) || /[?&]password=/.test(url);
}

interface Tried {
  fields: Fields;
  reached: Reached;
}

interface Trial<C extends BaseConnection, B extends Backend> {
  name: string;
  /** The connections with the fields in them. */
  open(fields: Fields): Registry<C>;
  call: CommandCall<C, B>;
  canRetry: boolean;
  /** Asks what the account could do beyond reading. */
  audits: boolean;
}

/** Prompts again after a wrong password, if there is a terminal. */
async function tryOut<C extends BaseConnection, B extends Backend>(
  fields: Fields,
  { name, open, call, canRetry, audits }: Trial<C, B>,
): Promise<Tried> {
  for (let attempt = 1, tried = fields; ; attempt++) {
    const reached = await reachDraft(name, open(tried), { call, audits });
    if ('lines' in reached) {
      printReached(name, reached, call);
      return { fields: tried, reached };
    }
    const mayRetry = canRetry && reached.failure.kind === 'auth' && attempt < maxAttempts && !call.options['password-stdin'];
    call.terminal.printError(formatProblem(reached.failure, call.definition.program.name, { isUnsaved: true }));
    const password = mayRetry ? await call.terminal.askSecret('Password (Enter to keep it as it is): ') : undefined;
    if (!password) return { fields: tried, reached };
    tried = { ...tried, password };
  }
}

/** Connects as the saved connection would: with the same files, variables and accepted host keys. */
async function reachDraft<C extends BaseConnection, B extends Backend>(
  name: string,
  registry: Registry<C>,
  { call, audits }: Pick<Trial<C, B>, 'call' | 'audits'>,
): Promise<Reached> {
  const { definition, terminal, app } = call;
  const { env, cwd, home } = terminal;
  // A command that gives a secret runs there.
  mkdirSync(dirname(findStorePath(definition.program.app, terminal)), { recursive: true, mode: 0o700 });
  const trial = createApp(definition, { env, cwd, home, settings: app.settings, registry, log: app.log });
  try {
    return await reach(name, { ...call, app: trial }, { signal: new AbortController().signal, audits });
  } finally {
    await trial.dispose();
  }
}

/** Includes what the account could do beyond reading: this is the moment to choose another one. */
function printReached<C extends BaseConnection, B extends Backend>(
  name: string,
  { lines, audit }: Extract<Reached, { lines: unknown }>,
  { terminal }: CommandCall<C, B>,
): void {
  terminal.print(`${name} answers: ${lines.join('; ')}`);
  for (const line of audit?.findings ?? []) terminal.print(line);
}

async function isWanted<C extends BaseConnection, B extends Backend>(
  name: string,
  { reached, fields }: Tried,
  { terminal, options }: CommandCall<C, B>,
): Promise<boolean> {
  if ('lines' in reached || options.yes) return true;
  if (reached.failure.detail.awaitsTrust) terminal.printError('Save it first: `trust` accepts the keys of saved connections.');
  const answer = await terminal.ask(`Save ${name} anyway? [y/N] `);
  if (answer !== undefined) return isYes(answer);
  const isUnasked = reached.failure.kind === 'auth' && fields.password === undefined && !options['password-stdin'];
  if (isUnasked) terminal.printError('Pass --password-stdin to read the password from standard input.');
  terminal.printError('Pass --yes to save it anyway.');
  return false;
}

/** Prompts for a secret that is named without a value; removing one needs confirmation. */
export async function update<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { terminal, app, definition } = call;
  const [name = '', ...words] = call.words;
  const secrets = promptedFields(definition.connections.schema);
  const patch = parseFields(
    words.filter((word) => !secrets.includes(word)),
    definition.connections.schema,
  );
  for (const field of secrets.filter((one) => words.includes(one))) patch[field] = await requireSecret(field, call);
  if (call.options['password-stdin']) patch.password ??= await requireSecret('password', call);
  for (const field of secrets.filter((one) => patch[one] === null)) {
    const question = `Remove the ${field} of ${name}? To be asked for a new one, write ${field} without =.`;
    if (!(await confirm(terminal, { question, yes: call.options.yes }))) return exitCodes.failed;
  }
  if (Object.keys(patch).length === 0) throw nothingToChange(name);
  const fields = await tryChange(name, patch, call);
  if (fields === undefined) {
    terminal.printError(`${name} was not changed.`);
    return exitCodes.failed;
  }
  const entry = await app.registry.person.update(name, fields);
  terminal.print(`Updated ${entry.name} in ${entry.origin.where}.`);
  return exitCodes.ok;
}

/** What is saved, unless the change keeps the connection from working and the person does not want it then. */
async function tryChange<C extends BaseConnection, B extends Backend>(
  name: string,
  patch: Fields,
  call: CommandCall<C, B>,
): Promise<Fields | undefined> {
  if (Object.keys(patch).every((field) => unreached.includes(field))) return patch;
  const open = (fields: Fields) => call.app.registry.person.draftUpdate(name, fields);
  const canRetry = call.words.includes('password');
  const tried = await tryOut(patch, { name, open, call, canRetry, audits: false });
  return (await isWanted(name, tried, call)) ? tried.fields : undefined;
}

/** Nothing of these could keep a connection from working. */
const unreached: readonly string[] = ['readonly', 'description', 'environment', 'timeoutMs'];

function nothingToChange(name: string): Failure {
  return new Failure('input', `nothing to change in ${name}`, {
    hint: 'Write KEY=VALUE, a URL, or password for a prompt.',
  });
}
