import { ProtocolError } from '@modelcontextprotocol/server';
import { onAbort } from '../../abort.ts';
import { respond, type ToolReply } from '../../answer/respond.ts';
import { runRounds } from '../../approval/rounds.ts';
import { askUser, Failure, toFailure } from '../../failure.ts';
import { isFields } from '../../registry/tree.ts';
import type { Caller } from '../../tools/caller.ts';
import type { ToolServer } from '../../tools/tool-server.ts';
import { callProject, ProjectCallError } from './project-call.ts';
import { findProjectRoot, resolveProject } from './project-root.ts';
import { type RunningMark, readRunning } from './running-mark.ts';
import { readServerToken } from './server-token.ts';

export interface ProjectsOptions {
  /** The name of the program, for the command that starts a server. */
  program: string;
  projectFileName: string;
  stateFolder: string;
  /** This server was started to read only, so the others may only read for it, too. */
  readonly: boolean;
  /** The longest silence of another server, in milliseconds. */
  idleMs?: number;
}

/** A server at work reports every five seconds; one that is silent for this long is stopped or blocked. */
const defaultIdleMs = 20_000;

const argument = {
  type: 'string',
  description: 'Absolute path of another project: the call goes to its running server. Default: this server.',
};

/** The same tools with one argument more: a call that names a project goes to the server of that project. */
export function withProjects(local: ToolServer, options: ProjectsOptions): ToolServer {
  let definitions: ToolServer['definitions'] | undefined;
  const call = async (name: string, args: unknown, caller: Caller): Promise<ToolReply> => {
    if (!isFields(args) || !local.names.includes(name)) return await local.call(name, args, caller);
    const { project, ...others } = args;
    if (project === undefined || project === null) return await local.call(name, others, caller);
    const elsewhere = { name, args: others, project, local, options };
    const { person, signal, round: first } = caller;
    return await runRounds({ person, signal, round: first }, (round) =>
      callElsewhere({ ...elsewhere, caller: { ...caller, round } }),
    );
  };
  const server: ToolServer = {
    ...local,
    get names() {
      return local.names;
    },
    get definitions() {
      definitions ??= local.definitions.map(addArgument);
      return definitions;
    },
    connect: () => local.connect(server),
    call,
  };
  return server;
}

function addArgument(tool: ToolServer['definitions'][number]): ToolServer['definitions'][number] {
  const { inputSchema } = tool;
  return { ...tool, inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, project: argument } } };
}

interface RemoteCall {
  name: string;
  args: Readonly<Record<string, unknown>>;
  project: unknown;
  caller: Caller;
  local: ToolServer;
  options: ProjectsOptions;
}

async function callElsewhere(call: RemoteCall): Promise<ToolReply> {
  const { name, caller, local } = call;
  const controller = local.calls.begin();
  const stop = onAbort(caller.signal, () => controller.abort(new Failure('cancelled', `${name} was cancelled by the client`)));
  try {
    local.calls.refuse();
    return await forward(call, controller.signal);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = toFailure(controller.signal.aborted ? controller.signal.reason : error);
    caller.onFailure?.(failure);
    return respond.failure(failure, { offers: (tool) => local.names.includes(tool), readonly: false });
  } finally {
    stop();
    // It is the other server that answers, and counts it.
    local.calls.end(controller);
  }
}

async function forward({ name, args, project, caller, local, options }: RemoteCall, signal: AbortSignal): Promise<ToolReply> {
  const { url } = findServer(project, options);
  const { readonly, stateFolder, idleMs = defaultIdleMs } = options;
  try {
    const { progressToken, notify, person, round } = caller;
    const remote = { signal, progressToken, notify, person, round };
    return await callProject({ url, token: readServerToken(stateFolder), name, args, caller: remote, readonly, idleMs });
  } catch (error) {
    const isWrite = local.definitions.find((tool) => tool.name === name)?.annotations?.readOnlyHint !== true;
    throw error instanceof ProjectCallError ? noAnswer(error, String(project), isWrite) : error;
  }
}

/** The path may also be a folder inside the project, as for the working directory of a server. */
function findServer(project: unknown, { program, projectFileName, stateFolder }: ProjectsOptions): RunningMark {
  const root = resolveProject(project);
  const running = readRunning(stateFolder, root) ?? readRunning(stateFolder, findProjectRoot({ cwd: root, projectFileName }));
  if (running !== undefined) return running;
  throw new Failure('connection', `no server is running for project ${project}`, {
    code: 'E_NO_SERVER',
    hint: askUser(`run \`${program} serve\` in ${project}`),
  });
}

function noAnswer({ reason, cause }: ProjectCallError, project: string, isWrite: boolean): Failure {
  if (reason === 'token refused') {
    return new Failure('auth', `the server of project ${project} refused the token`, {
      hint: askUser('start that server without --token and --auth, so that it takes the token of this user'),
    });
  }
  const message = `the server of project ${project} did not answer`;
  const isOpen = isWrite && reason === 'lost';
  const hint = isOpen ? 'Check with a read whether it took effect before you repeat it.' : 'If it persists, restart that server.';
  return new Failure('connection', message, { code: isOpen ? 'E_OUTCOME_UNKNOWN' : 'E_NO_ANSWER', hint, cause });
}
