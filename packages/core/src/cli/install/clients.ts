import { join } from 'node:path';

/** What a client starts. */
export interface Start {
  command: string;
  args: readonly string[];
}

/** A server at a URL. */
interface Remote {
  url: string;
  /** Empty where none are needed. The client's reference to the token is in `Authorization`, unless `tokenVariable` is used. */
  headers: Readonly<Record<string, string>>;
  /** The variable that holds the token; undefined where the client signs in by itself. */
  tokenVariable: string | undefined;
}

/** A secret that the client asks for and keeps. */
export interface SecretInput {
  /** The member of the file that lists them. */
  list: string;
  item: Readonly<Record<string, unknown>> & { id: string };
  /** How an entry refers to it. */
  reference: string;
}

export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  env: NodeJS.ProcessEnv;
}

/** One program that speaks to servers, and where it keeps which ones. */
export interface Client {
  id: string;
  title: string;
  form: 'json' | 'toml';
  file(machine: Machine): string;
  /** In a project, for everyone who works on it. */
  projectFile?: string;
  /** Is there where the client is installed, if that is another path than the folder of its file. */
  trace?(machine: Machine): string;
  /** Where in the file; the server's own name follows. */
  section: string;
  entry(start: Start): Readonly<Record<string, unknown>>;
  /** The entry of a server at a URL; absent where the client only starts programs. */
  remote?(remote: Remote): Readonly<Record<string, unknown>>;
  /** How it asks for the token of a server; `envValue` is used where this is absent. */
  secretInput?(server: string): SecretInput;
  /** The member of the entry that holds variables; `env` by default. */
  envKey?: string;
  /** A variable of the client's own, as a value in there; absent where the client cannot pass one on. */
  envValue?(name: string): string;
  /** The member that lists variables of the client's own instead. */
  envList?: string;
  /** What a person has to do before the client sees it. */
  afterwards: string;
}

const plain = ({ command, args }: Start) => ({ command, args });
const at = ({ url, headers }: Remote) => ({ url, ...withHeaders('headers', headers) });
const restart = 'Restart it.';
const newSession = 'Start a new session.';
const colonReference = (name: string) => `\${env:${name}}`;

/** The clients, in the order of `--help` and of the documentation. */
export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    form: 'json',
    file: ({ home, env }) => (env.CLAUDE_CONFIG_DIR ? join(env.CLAUDE_CONFIG_DIR, '.claude.json') : join(home, '.claude.json')),
    section: 'mcpServers',
    projectFile: '.mcp.json',
    trace: ({ home, env }) => env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
    envValue: (name) => `\${${name}}`,
    entry: (start) => ({ type: 'stdio', ...plain(start) }),
    remote: (remote) => ({ type: 'http', ...at(remote) }),
    afterwards: 'Start a new session; /mcp shows it.',
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    form: 'json',
    file: (machine) => join(applicationData(machine), 'Claude', 'claude_desktop_config.json'),
    section: 'mcpServers',
    entry: plain,
    afterwards: restart,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    form: 'json',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    projectFile: '.cursor/mcp.json',
    envValue: colonReference,
    section: 'mcpServers',
    entry: plain,
    remote: at,
    afterwards: 'Enable it in the settings, under MCP.',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    form: 'json',
    file: (machine) => join(applicationData(machine), 'Code', 'User', 'mcp.json'),
    section: 'servers',
    projectFile: '.vscode/mcp.json',
    envValue: colonReference,
    entry: (start) => ({ type: 'stdio', ...plain(start) }),
    remote: (remote) => ({ type: 'http', ...at(remote) }),
    secretInput: askForToken,
    afterwards: 'Start it from the list of MCP servers.',
  },
  {
    id: 'codex',
    title: 'Codex',
    form: 'toml',
    file: ({ home, env }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    section: 'mcp_servers',
    projectFile: '.codex/config.toml',
    envList: 'env_vars',
    entry: plain,
    remote: ({ url, headers, tokenVariable }) => ({
      url,
      ...(tokenVariable !== undefined && { bearer_token_env_var: tokenVariable }),
      ...withHeaders('http_headers', headers),
    }),
    afterwards: newSession,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    form: 'json',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    projectFile: '.gemini/settings.json',
    envValue: (name) => `$${name}`,
    section: 'mcpServers',
    entry: plain,
    remote: ({ url, headers }) => ({ httpUrl: url, ...withHeaders('headers', headers) }),
    afterwards: 'Start a new session; /mcp shows it.',
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    form: 'json',
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    envValue: colonReference,
    section: 'mcpServers',
    entry: plain,
    remote: ({ url, headers }) => ({ serverUrl: url, ...withHeaders('headers', headers) }),
    afterwards: 'Refresh the list of MCP servers in its settings.',
  },
  {
    id: 'zed',
    title: 'Zed',
    form: 'json',
    file: (machine) =>
      machine.platform === 'win32'
        ? join(applicationData(machine), 'Zed', 'settings.json')
        : join(machine.home, '.config', 'zed', 'settings.json'),
    section: 'context_servers',
    entry: plain,
    remote: at,
    afterwards: 'It picks up the change by itself.',
  },
  {
    id: 'opencode',
    title: 'opencode',
    form: 'json',
    file: ({ home }) => join(home, '.config', 'opencode', 'opencode.json'),
    section: 'mcp',
    projectFile: 'opencode.json',
    envKey: 'environment',
    envValue: (name) => `{env:${name}}`,
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    remote: (remote) => ({ type: 'remote', ...at(remote), enabled: true }),
    afterwards: restart,
  },
  {
    id: 'copilot',
    title: 'Copilot CLI',
    form: 'json',
    file: ({ home }) => join(home, '.copilot', 'mcp-config.json'),
    envValue: (name) => `\${${name}}`,
    section: 'mcpServers',
    entry: (start) => ({ type: 'local', ...plain(start), tools: ['*'] }),
    remote: (remote) => ({ type: 'http', ...at(remote), tools: ['*'] }),
    afterwards: newSession,
  },
];

function withHeaders(key: string, headers: Remote['headers']): Readonly<Record<string, unknown>> {
  return Object.keys(headers).length === 0 ? {} : { [key]: headers };
}

function askForToken(server: string): SecretInput {
  const id = `${server}-token`;
  return {
    list: 'inputs',
    item: { type: 'promptString', id, description: `Token of the ${server} server`, password: true },
    reference: `\${input:${id}}`,
  };
}

/** Windows starts `npx` only through its shell: it is a script there. */
export function findStart(packageName: string, args: readonly string[], { platform }: Pick<Machine, 'platform'>): Start {
  const words = ['-y', packageName, ...args];
  return platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...words] } : { command: 'npx', args: words };
}

function applicationData({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}
