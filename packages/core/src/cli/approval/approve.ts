import { type PendingCall, PendingStore } from '../../approval/pending-store.ts';
import type { Person } from '../../approval/person.ts';
import type { BaseConnection } from '../../connection.ts';
import { Failure, toFailure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { findStorePath } from '../../program/app.ts';
import { stateFolderFor } from '../../registry/sources/paths.ts';
import { formatVisible } from '../../text.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { callTool } from '../commands/tool-command.ts';
import { confirmChange } from './confirm-change.ts';

/** Shows the calls that wait for a person, and runs one that the person confirms. */
export async function approve<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { definition, terminal, words } = call;
  const { app, name } = definition.program;
  const store = new PendingStore(stateFolderFor(findStorePath(app, terminal)));
  const pending = store.list();
  const [id] = words;
  const [first] = pending;
  if (id === undefined && first === undefined) {
    terminal.print('Nothing waits for a confirmation.');
    return exitCodes.ok;
  }
  if (id === undefined && pending.length > 1) {
    terminal.print(pending.map((one) => formatPending(one)).join('\n'));
    terminal.printError(`Run \`${name} approve ID\` to see one of them and decide.`);
    return exitCodes.ok;
  }
  const chosen = id === undefined ? first : pending.find((one) => one.id === id.toLowerCase());
  if (chosen === undefined) throw gone(id ?? '');
  return await decide(call, { store, chosen });
}

interface Decision {
  store: PendingStore;
  chosen: PendingCall;
}

/** The call is made again, as its own client would: it is measured here, and shown as it is now. */
async function decide<C extends BaseConnection, B extends Backend>(
  { app, terminal }: CommandCall<C, B>,
  { store, chosen }: Decision,
): Promise<number> {
  const { tool, args, summary } = chosen;
  let isTaken = false;
  const ask: Person['ask'] = async (message) => {
    if (!isTaken && !message.includes(summary)) terminal.printError(`When it was asked for: ${formatVisible(summary)}`);
    const action = await confirmChange(terminal, message);
    // Without a terminal it goes on waiting.
    if (action === 'unable' || isTaken) return action;
    isTaken = await store.take(chosen.id);
    if (action === 'accept' && !isTaken) throw gone(chosen.id);
    return action;
  };
  let refused: unknown;
  const person: Person = {
    place: 'terminal',
    mustConfirm: true,
    ask: async (message, signal) => {
      try {
        const action = (await ask(message, signal)) ?? 'unable';
        if (action === 'unable') throw noTerminal();
        return action;
      } catch (error) {
        refused = error;
        return 'decline';
      }
    },
  };
  try {
    return await callTool({ app, terminal }, { tool, args, isTable: true, waiting: 'measuring', person });
  } catch (error) {
    if (refused !== undefined) throw refused;
    if (toFailure(error).code !== 'E_DECLINED') throw withPlace(error, chosen);
    terminal.printError('Not confirmed; nothing was changed.');
    return exitCodes.failed;
  }
}

function formatPending({ id, tool, args, summary, expiresAt }: PendingCall): string {
  const minutes = Math.max(1, Math.round((expiresAt - Date.now()) / 60_000));
  const { connection } = args;
  const where = typeof connection === 'string' ? ` on ${formatVisible(connection)}` : '';
  return `${id}  ${tool}${where}, expires in ${minutes} min: ${formatVisible(summary)}`;
}

function gone(id: string): Failure {
  return new Failure('unknown', `nothing waits for a confirmation under ${JSON.stringify(id.slice(0, 40))}`, {
    hint: 'It may have expired, or was decided already. Let the call be made again.',
  });
}

function noTerminal(): Failure {
  return new Failure('refused', 'cannot prompt: standard input is not a terminal', { hint: 'Run this in a terminal.' });
}

/** Connections depend on the folder and the variables of the server. */
function withPlace(error: unknown, { cwd }: PendingCall): unknown {
  const failure = toFailure(error);
  if (failure.kind !== 'unknown' || cwd === process.cwd()) return error;
  const hint = `Run this in ${cwd}, with the options and variables that the server was started with.`;
  return new Failure(failure.kind, failure.message, { code: failure.code, hint });
}
