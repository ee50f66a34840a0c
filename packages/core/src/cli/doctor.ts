import { existsSync, statSync } from 'node:fs';
import type { BaseConnection } from '../connection.ts';
import { toFailure } from '../failure.ts';
import type { Backend } from '../manager/backend.ts';
import { storePathOf } from '../program/app.ts';
import { variableOf } from '../program/settings.ts';
import type { Entry } from '../registry/registry.ts';
import { formatVisible } from '../text.ts';
import type { CommandCall } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { openClientFile } from './install/client-file.ts';
import { clients } from './install/clients.ts';
import { formatPersonAdvice } from './person-hint.ts';
import { formatProblem, reach } from './reach.ts';

/** A line of the report; one that is not well says what to do. */
interface Finding {
  well: boolean;
  text: string;
  /** Neither good nor bad: something to know. */
  isNote?: boolean;
}

const good = (text: string): Finding => ({ well: true, text });
const note = (text: string): Finding => ({ well: true, text, isNote: true });
const bad = (text: string): Finding => ({ well: false, text });

/** How long one connection may take to answer. */
const answerMs = 20_000;

/** Everything that a person would look at when something does not work, without a secret in it, so that it can be shown to others. */
export async function doctor<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { leaf, terminal } = call;
  terminal.print(`${leaf.name} ${leaf.version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`);
  const { entries, problems } = await call.app.registry.list();
  const sections = {
    Configuration: [...describeSources(call), ...problems.map(({ failure }) => bad(formatProblem(failure, call.leaf.name)))],
    Connections: await describeConnections(entries, call),
    Clients: describeClients(call),
  };
  for (const [title, findings] of Object.entries(sections)) {
    terminal.print(`\n${title}\n${findings.map((one) => `${markOf(one)} ${formatVisible(one.text)}`).join('\n')}`);
  }
  return Object.values(sections)
    .flat()
    .every(({ well }) => well)
    ? exitCodes.ok
    : exitCodes.failed;
}

function markOf({ well, isNote }: Finding): string {
  if (isNote) return '  -- ';
  return well ? '  ok ' : '  !! ';
}

function describeSources<C extends BaseConnection, B extends Backend>({ leaf, terminal }: CommandCall<C, B>): Finding[] {
  const variable = variableOf(leaf.app, 'connections');
  const store = storePathOf(leaf.app, terminal);
  return [
    good(terminal.env[variable] ? `${variable} is set` : `${variable} is not set`),
    existsSync(store)
      ? describeStore(store)
      : good(`your own store ${store} is not there yet; \`${leaf.name} connections add\` makes it`),
  ];
}

function describeStore(store: string): Finding {
  const { mode } = statSync(store);
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return isOpen ? bad(`others can read your store ${store}: chmod 600 it`) : good(`your own store is ${store}`);
}

async function describeConnections<C extends BaseConnection, B extends Backend>(
  entries: readonly Entry<C>[],
  call: CommandCall<C, B>,
): Promise<Finding[]> {
  if (entries.length === 0) return [bad(`none is configured: ${call.leaf.name} connections add NAME URL`)];
  return (await Promise.all(entries.map((entry) => describeConnection(entry, call)))).flat();
}

async function describeConnection<C extends BaseConnection, B extends Backend>(
  { name, problem, config, origin }: Entry<C>,
  call: CommandCall<C, B>,
): Promise<Finding[]> {
  const title = `${name} (${origin.where}${config?.readonly ? ', read-only' : ''})`;
  if (problem !== undefined) return [bad(`${title}: ${formatProblem(problem, call.leaf.name)}`)];
  const reached = await reach(name, call, { signal: AbortSignal.timeout(answerMs), audits: true });
  if (typeof reached === 'string') return [bad(`${title}: ${reached}`)];
  return [good(`${title}: ${reached.lines.join('; ')}`), ...reached.audit.map((line) => note(`${name}: ${line}`))];
}

function describeClients<C extends BaseConnection, B extends Backend>({ leaf, terminal }: CommandCall<C, B>): Finding[] {
  const machine = { platform: process.platform, home: terminal.home, env: terminal.env };
  const findings = clients.flatMap((client): Finding[] => {
    try {
      const file = openClientFile(client, leaf.app, machine);
      if (!file.exists) return [];
      return [
        good(
          file.shown === undefined
            ? `${client.title} does not have it; \`${leaf.name} install ${client.id}\` writes it into ${file.path}`
            : `${client.title} has it, in ${file.path}`,
        ),
      ];
    } catch (error) {
      return [bad(`${client.title}: ${formatPersonAdvice(toFailure(error), leaf.name)}`)];
    }
  });
  return findings.length > 0
    ? findings
    : [good(`no client was found; \`${leaf.name} install CLIENT\` writes a configuration all the same`)];
}
