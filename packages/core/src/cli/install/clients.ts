import { join } from 'node:path';

/** What a client starts. */
export interface Start {
  command: string;
  args: readonly string[];
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
  /** Where in the file; the server's own name follows. */
  section: string;
  entry(start: Start): Readonly<Record<string, unknown>>;
  /** What a person has to do before the client sees it. */
  afterwards: string;
}

const plain = ({ command, args }: Start) => ({ command, args });
const restart = 'Start it anew.';

/** In the order of `--help` and of the documentation. */
export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    form: 'json',
    file: ({ home, env }) => (env.CLAUDE_CONFIG_DIR ? join(env.CLAUDE_CONFIG_DIR, '.claude.json') : join(home, '.claude.json')),
    section: 'mcpServers',
    entry: (start) => ({ type: 'stdio', ...plain(start) }),
    afterwards: 'Begin a new session; /mcp shows it.',
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
    section: 'mcpServers',
    entry: plain,
    afterwards: 'Enable it in the settings, under MCP.',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    form: 'json',
    file: (machine) => join(applicationData(machine), 'Code', 'User', 'mcp.json'),
    section: 'servers',
    entry: (start) => ({ type: 'stdio', ...plain(start) }),
    afterwards: 'Start it from the list of MCP servers.',
  },
  {
    id: 'codex',
    title: 'Codex',
    form: 'toml',
    file: ({ home, env }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    section: 'mcp_servers',
    entry: plain,
    afterwards: 'Begin a new session.',
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    form: 'json',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    section: 'mcpServers',
    entry: plain,
    afterwards: 'Begin a new session; /mcp shows it.',
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    form: 'json',
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    section: 'mcpServers',
    entry: plain,
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
    afterwards: 'It sees the change by itself.',
  },
  {
    id: 'opencode',
    title: 'opencode',
    form: 'json',
    file: ({ home }) => join(home, '.config', 'opencode', 'opencode.json'),
    section: 'mcp',
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    afterwards: restart,
  },
  {
    id: 'copilot',
    title: 'Copilot CLI',
    form: 'json',
    file: ({ home }) => join(home, '.copilot', 'mcp-config.json'),
    section: 'mcpServers',
    entry: (start) => ({ type: 'local', ...plain(start), tools: ['*'] }),
    afterwards: 'Begin a new session.',
  },
];

/** Windows starts `npx` only through its shell: it is a script there. */
export function startOf(packageName: string, args: readonly string[], { platform }: Pick<Machine, 'platform'>): Start {
  const words = ['-y', packageName, ...args];
  return platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...words] } : { command: 'npx', args: words };
}

function applicationData({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}
