import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { createApp, findStorePath } from '../../program/app.ts';
import type { Fields } from '../../registry/tree.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { confirm, isYes } from '../terminal/confirm.ts';
import { parseFields, promptedFields, readSecret, requireSecret } from './fields.ts';
import { formatProblem, type Reached, reach } from './reach.ts';

const maxAttempts = 3;

/** Tries a new connection and saves it when it works, or when the person wants it all the same. */
export async function add<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = '', ...words] = call.words;
  const given = { readonly: true, name, ...parseFields(words, call.definition.connections.schema) };
  const password = await askPassword(given, call);
  const tried = await tryOut({ ...given, ...(password ? { password } : {}) }, { call, canRetry: Boolean(password) });
  if (!(await isWanted(tried, call))) {
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

/** Prompts again after a wrong password, if there is a terminal. */
async function tryOut<C extends BaseConnection, B extends Backend>(
  fields: Fields,
  { call, canRetry }: { call: CommandCall<C, B>; canRetry: boolean },
): Promise<Tried> {
  for (let attempt = 1, tried = fields; ; attempt++) {
    const reached = await reachDraft(tried, call);
    if ('lines' in reached) {
      printReached(String(tried.name), reached, call);
      return { fields: tried, reached };
    }
    const mayRetry = canRetry && reached.failure.kind === 'auth' && attempt < maxAttempts && !call.options['password-stdin'];
    call.terminal.printError(formatProblem(reached.failure, call.definition.program.name, { isUnsaved: true }));
    const password = mayRetry ? await call.terminal.askSecret('Password (Enter to keep it as it is): ') : undefined;
    if (!password) return { fields: tried, reached };
    tried = { ...tried, password };
  }
}

/** As it would be once saved: with the same files, variables and accepted host keys. */
async function reachDraft<C extends BaseConnection, B extends Backend>(
  fields: Fields,
  call: CommandCall<C, B>,
): Promise<Reached> {
  const { definition, terminal, app } = call;
  const { env, cwd, home } = terminal;
  const registry = app.registry.person.draft(fields);
  // A command that gives a secret runs there.
  mkdirSync(dirname(findStorePath(definition.program.app, terminal)), { recursive: true, mode: 0o700 });
  const trial = createApp(definition, { env, cwd, home, settings: app.settings, registry, log: app.log });
  try {
    return await reach(String(fields.name), { ...call, app: trial }, { signal: new AbortController().signal, audits: true });
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
  { reached, fields }: Tried,
  { terminal, options }: CommandCall<C, B>,
): Promise<boolean> {
  if ('lines' in reached || options.yes) return true;
  const answer = await terminal.ask(`Save ${String(fields.name)} anyway? [y/N] `);
  if (answer !== undefined) return isYes(answer);
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
  const entry = await app.registry.person.update(name, patch);
  terminal.print(`Updated ${entry.name} in ${entry.origin.where}.`);
  if (Object.keys(patch).every((field) => unreached.includes(field))) return exitCodes.ok;
  const reached = await reach(name, call, { signal: new AbortController().signal, audits: false });
  if ('lines' in reached) printReached(name, reached, call);
  else
    terminal.printError(`It does not work yet. ${formatProblem(reached.failure, definition.program.name, { connection: name })}`);
  return 'lines' in reached ? exitCodes.ok : exitCodes.failed;
}

/** Nothing of these could keep a connection from working. */
const unreached: readonly string[] = ['readonly', 'description', 'timeoutMs'];

function nothingToChange(name: string): Failure {
  return new Failure('input', `nothing to change in ${name}`, {
    hint: 'Write KEY=VALUE, a URL, or password for a prompt.',
  });
}
