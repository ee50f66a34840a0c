import { existsSync, statSync } from 'node:fs';
import type { BaseConnection } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import { findStorePath } from '../../program/app.ts';
import { findVariable, parseTime } from '../../program/settings.ts';
import { findEntry } from '../../registry/lookup.ts';
import type { Entry } from '../../registry/registry.ts';
import { cutVisible, formatVisible } from '../../text.ts';
import { formatHidden } from '../../tools/connections/connection-list.ts';
import type { Audit } from '../../tools/connections/connection-tools.ts';
import { viewPolicy } from '../../tools/connections/destinations.ts';
import { type CommandCall, exitCodes } from '../command.ts';
import { openClientFile } from '../install/client-file.ts';
import { clients } from '../install/clients.ts';
import { formatProblem, type Reached, reach } from './reach.ts';

/** A line of the report; one that is not ok says what to do. */
interface Finding {
  ok: boolean;
  text: string;
  /** The name of a connection, whose account is then also checked for what it could do beyond reading. */
  name?: string;
  audit?: Audit;
}

const good = (text: string): Finding => ({ ok: true, text });
const bad = (text: string): Finding => ({ ok: false, text });

/** How long one connection may take to answer, unless --timeout says otherwise. */
const answerMs = 20_000;
/** The limit for the powers of an account in the line of its connection. */
const shownPowers = 160;

/** Everything that a person needs for troubleshooting. It contains no secret, so it can be shown to others. */
export async function doctor<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { definition, terminal, options, words } = call;
  const snapshot = await call.app.registry.list();
  const { entries, problems } = snapshot;
  const wanted = words.length === 0 ? entries : words.map((name) => findEntry(snapshot, name));
  const connections = await describeConnections(wanted, call);
  const general = {
    configuration: [
      ...describeSources(call),
      ...problems.map(({ failure }) => bad(formatProblem(failure, definition.program.name))),
    ],
    clients: describeClients(call),
  };
  const columns = describeColumns(wanted, call);
  const protectedColumns = columns.length === 0 ? {} : { 'protected columns': columns };
  const report =
    words.length === 0
      ? { configuration: general.configuration, connections, ...protectedColumns, clients: general.clients }
      : { connections, ...protectedColumns };
  const program = {
    program: definition.program.name,
    version: definition.program.version,
    node: process.versions.node,
    platform: process.platform,
  };
  if (options.role) for (const one of connections) printStatements(one, call);
  else if (options.json) terminal.print(JSON.stringify({ ...program, ...report }, null, 2));
  else
    printReport(
      `${definition.program.name} ${definition.program.version}, Node ${program.node}, ${program.platform} ${process.arch}`,
      report,
      call,
    );
  return Object.values(report)
    .flat()
    .every(({ ok }) => ok)
    ? exitCodes.ok
    : exitCodes.failed;
}

function printReport<C extends BaseConnection, B extends Backend>(
  head: string,
  report: Readonly<Record<string, readonly Finding[]>>,
  { terminal, definition }: CommandCall<C, B>,
): void {
  terminal.print(head);
  for (const [section, findings] of Object.entries(report)) {
    const lines = findings.map((one) => `${one.ok ? '  ok  ' : '  !!  '}${formatVisible(findLine(one))}`);
    terminal.print(`\n${section[0]?.toUpperCase()}${section.slice(1)}\n${lines.join('\n')}`);
  }
  const powerful = report.connections?.find(({ audit }) => audit !== undefined && audit.reader.length > 0);
  if (powerful !== undefined)
    terminal.print(`\nTo create an account that only reads: ${definition.program.name} doctor ${powerful.name} --role`);
}

function findLine({ text, audit }: Finding): string {
  const [powers] = audit?.findings ?? [];
  return powers === undefined ? text : `${text}. ${cutWords(powers, shownPowers)}`;
}

/** Ends with a whole word. */
function cutWords(text: string, room: number): string {
  if (text.length <= room) return text;
  const start = cutVisible(text, room);
  const end = start.lastIndexOf(' ');
  return `${end < 0 ? start : start.slice(0, end).replace(/[,;:]$/, '')} …`;
}

/** Prints them so that they can be pasted, or piped into another program. */
function printStatements<C extends BaseConnection, B extends Backend>(
  { ok, text, name = '', audit }: Finding,
  { terminal }: CommandCall<C, B>,
): void {
  if (!ok) terminal.printError(text);
  for (const finding of audit?.findings ?? []) terminal.printError(`${name}: ${finding}`);
  if (audit === undefined) return;
  if (audit.reader.length === 0) {
    terminal.printError(`${name}: there are no statements to run.`);
    return;
  }
  terminal.print(['-- An account that only reads:', ...audit.reader].join('\n'));
  if (audit.shared.length === 0) return;
  const warning = '-- These take rights from every account. Check first that no other program needs them:';
  terminal.print([warning, ...audit.shared.map((statement) => `-- ${statement}`)].join('\n'));
}

function describeSources<C extends BaseConnection, B extends Backend>({ definition, terminal }: CommandCall<C, B>): Finding[] {
  const variable = findVariable(definition.program.app, 'connections');
  const store = findStorePath(definition.program.app, terminal);
  return [
    good(terminal.env[variable] ? `${variable} is set` : `${variable} is not set`),
    existsSync(store)
      ? describeStore(store)
      : good(`your own store ${store} does not exist yet; \`${definition.program.name} connections add\` creates it`),
  ];
}

function describeStore(store: string): Finding {
  const { mode } = statSync(store);
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return isOpen ? bad(`others can read your store ${store}: chmod 600 it`) : good(`your own store is ${store}`);
}

/** The rules of each connection in full, because presets are not written in its file. */
function describeColumns<C extends BaseConnection, B extends Backend>(
  entries: readonly Entry<C>[],
  { definition }: CommandCall<C, B>,
): Finding[] {
  return entries.flatMap(({ name, config }) => {
    const rules = config === undefined ? [] : (definition.connections.columnRules?.(config) ?? []);
    return rules.length === 0 ? [] : good(`${name}: ${rules.join(', ')}`);
  });
}

async function describeConnections<C extends BaseConnection, B extends Backend>(
  entries: readonly Entry<C>[],
  call: CommandCall<C, B>,
): Promise<Finding[]> {
  if (entries.length === 0) return [bad(`none is configured: ${call.definition.program.name} connections add NAME URL`)];
  return await Promise.all(entries.map((entry) => describeConnection(entry, call)));
}

async function describeConnection<C extends BaseConnection, B extends Backend>(
  { name, problem, config, origin, shadows }: Entry<C>,
  call: CommandCall<C, B>,
): Promise<Finding> {
  const policy = config === undefined ? [] : Object.entries(viewPolicy(call.definition.connections, config));
  const words = policy.flatMap(([key, value]) => (value === undefined ? [] : `${key} ${value}`));
  const mode = config?.readonly ? ['read-only'] : [];
  const about = [origin.where, ...mode, ...words, formatHidden(shadows)].filter((part) => part !== '');
  const title = `${name} (${about.join(', ')})`;
  const { timeout } = call.app.settings;
  const signal = AbortSignal.timeout(timeout === undefined ? answerMs : parseTime(timeout));
  const reached: Reached = problem === undefined ? await reach(name, call, { signal, audits: true }) : { failure: problem };
  if ('failure' in reached) {
    const problem = formatProblem(reached.failure, call.definition.program.name, { connection: name });
    return { ...bad(`${title}: ${problem}`), name };
  }
  const { lines, audit } = reached;
  return { ...good(`${title}: ${lines.join('; ')}`), name, ...(audit === undefined ? {} : { audit }) };
}

function describeClients<C extends BaseConnection, B extends Backend>({ definition, terminal }: CommandCall<C, B>): Finding[] {
  const machine = { platform: process.platform, home: terminal.home, env: terminal.env };
  const findings = clients.flatMap((client): Finding[] => {
    try {
      const file = openClientFile(client, definition.program.app, machine);
      if (!file.exists) return [];
      return [
        good(
          file.shown === undefined
            ? `${client.title} does not have it; \`${definition.program.name} install ${client.id}\` writes it into ${file.path}`
            : `${client.title} has it, in ${file.path}`,
        ),
      ];
    } catch (error) {
      return [bad(`${client.title}: ${formatProblem(error, definition.program.name)}`)];
    }
  });
  return findings.length > 0
    ? findings
    : [good(`no client was found; \`${definition.program.name} install CLIENT\` writes a configuration anyway`)];
}
