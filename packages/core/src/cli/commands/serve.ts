import { settlesWithin } from '../../abort.ts';
import type { BaseConnection } from '../../connection.ts';
import { openAccess } from '../../doors/http/access/open-access.ts';
import { serveUntilSignal } from '../../doors/http/drain.ts';
import { createHostRules } from '../../doors/http/host-check.ts';
import { HttpDoor } from '../../doors/http/http-door.ts';
import { readLimits } from '../../doors/http/limits/limit-options.ts';
import { planListening } from '../../doors/http/listen-rules.ts';
import type { MetricsOptions } from '../../doors/http/metrics.ts';
import { createTokenFile, type TokenFile } from '../../doors/http/token-file.ts';
import { openPage } from '../../doors/page/open-page.ts';
import { openProject } from '../../doors/project/open-project.ts';
import { parsePort } from '../../doors/project/ports.ts';
import { findProjectRoot } from '../../doors/project/project-root.ts';
import { formatHint } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { findStorePath } from '../../program/app.ts';
import { signals, watchEscapedErrors } from '../../program/serve.ts';
import { createWatchdog } from '../../program/watchdog.ts';
import { stateFolderFor } from '../../registry/sources/paths.ts';
import type { RunningCalls } from '../../tools/running-calls.ts';
import { type CommandCall, exitCodes } from '../command.ts';

/** Closing pools and tunnels may take this long. */
const disposeMs = 1_200;

/** Serves MCP over HTTP until a signal comes. */
export async function serve<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const { definition, terminal, options, app } = call;
  const { name, app: folder, version } = definition.program;
  const storePath = findStorePath(folder, terminal);
  const stateFolder = stateFolderFor(storePath);
  const tokenFile = createTokenFile(stateFolder);
  if (options['print-token'] || options['new-token']) {
    terminal.print(await (options['new-token'] ? tokenFile.replace() : tokenFile.ensure()));
    return exitCodes.ok;
  }
  const { log, toolServer, manager } = app;
  const { calls } = toolServer;
  const watchdog = createWatchdog({ signals, isBusy: () => calls.count > 0, log });
  const { door, plan, root, shown } = await openDoor(call, { tokenFile, stateFolder, onCall: () => watchdog.wake() });
  const metricsPort = options.metrics === undefined ? undefined : parsePort(options.metrics, '--metrics');
  const metrics =
    metricsPort === undefined ? undefined : await openMetrics(metricsPort, { name, version, calls, connections: manager });
  const project = await openProject({
    stateFolder,
    root,
    port: options.port === undefined ? undefined : parsePort(options.port),
    takeover: options.takeover === true,
    listen: (port) => door.listen(port, plan.address),
    urlFor: plan.urlFor,
    warn: ({ message }) => log('warn', message),
    projectFileName: `.${folder}.json`,
    storePath,
    configPath: app.settings.config,
  }).catch(async (error: unknown) => {
    await door.close();
    throw error;
  });
  watchEscapedErrors(process, log);
  const place = metrics === undefined ? shown : `${shown}, metrics at ${metrics.url}`;
  terminal.print(`${name}: ${plan.urlFor(project.port)} (project ${root}, ${place})`);
  const served = serveUntilSignal({ door, calls, log, process, watchdog, exit: (code) => process.exit(code) });
  await warnOfProblems(call);
  await served;
  await Promise.all([project.close(), metrics?.close()]);
  await settlesWithin(app.dispose(), { ms: disposeMs, keepsAlive: true });
  // A driver or a thread may still have something open.
  process.exit(exitCodes.ok);
}

/** Reads the configuration, which logs what is wrong with it, and adds what the person who starts the server can do. */
async function warnOfProblems<C extends BaseConnection, B extends Backend>({
  app,
  definition,
}: CommandCall<C, B>): Promise<void> {
  const { problems } = await app.registry.list();
  for (const { failure } of problems) {
    const steps = formatHint(failure.next, { program: definition.program.name });
    if (steps !== undefined) app.log('warn', steps);
  }
}

interface DoorParts {
  stateFolder: string;
  tokenFile: TokenFile;
  onCall(): void;
}

/** Invalid options are reported here, before anything listens. */
async function openDoor<C extends BaseConnection, B extends Backend>(
  call: CommandCall<C, B>,
  { tokenFile, stateFolder, onCall }: DoorParts,
) {
  const { definition, terminal, options, app } = call;
  const { openView, log } = app;
  const { name, app: folder } = definition.program;
  const limits = readLimits(options);
  const plan = planListening(options, terminal);
  const root = findProjectRoot({ cwd: terminal.cwd, projectFileName: `.${folder}.json` });
  const { hosts, shown, ...access } = await openAccess(options, { ...terminal, name, tokenFile, log });
  const hostRules = createHostRules({
    ...plan,
    allowedHosts: [...(options['allow-host'] ?? []), ...hosts],
    allowedOrigins: options['allow-origin'] ?? [],
  });
  const { isBehindProxy } = plan;
  const address = { isBehindProxy, isSecure: plan.tls !== undefined || isBehindProxy };
  const listSnippets = async (url: string) => {
    const { listClientSnippets } = await import('../install/client-snippets.ts');
    return listClientSnippets({ name, app: folder, url, signsIn: options.auth !== undefined });
  };
  const page = openPage(definition, app, { root, stateFolder, address, limits, listSnippets });
  const door = new HttpDoor({ page, ...plan, ...access, openView, log, limits, hostRules, root, onCall });
  return { door, plan, root, shown };
}

async function openMetrics(port: number, options: MetricsOptions & { calls: RunningCalls }) {
  const { createMetrics } = await import('../../doors/http/metrics.ts');
  const { listenForMetrics } = await import('../../doors/http/metrics-listener.ts');
  const metrics = createMetrics(options);
  options.calls.onAnswered(metrics.observe);
  return await listenForMetrics(port, metrics);
}
