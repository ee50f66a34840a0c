import { type Client, clients, type Machine, type Start, startOf } from '../../packages/core/src/cli/install/clients.ts';
import { leaves, type ShownLeaf } from './leaves.ts';

const home = '~';
const elsewhere = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' } as const;
type Platform = keyof typeof elsewhere;

export function clientsPage(): string {
  const [first] = leaves;
  const blocks = clients.map((client) => formatClient(client, leaves));
  return `# Clients

\`${first?.name} install CLIENT\` writes the entry below: it shows the change, asks, keeps everything else in the file, comments included, and a copy of it
beside it (\`.bak\`). \`uninstall CLIENT\` takes back exactly that. What stands behind is handed to the server: \`install cursor --readonly\`.

${leaves.map(formatOneClick).join('\n')}

On Windows \`npx\` is a script, so \`install\` writes \`"command": "cmd", "args": ["/c", "npx", "-y", …]\` there. To stay with one version, write it
behind the name: \`${first?.name}@VERSION\`.

${blocks.join('\n')}
## Variables

Clients do not start the server from your shell, so it may not see what your shell sets. Name in the entry what it needs, or better, keep
secrets where the server reads them by itself: [secrets](secrets.md).

| client | variables |
|---|---|
| Claude Code, VS Code, opencode | those of the client, and \`env\` (opencode: \`environment\`) of the entry |
| Codex | few of your own; name the others: \`env_vars = ["SHOP_PASSWORD"]\` |
| Gemini CLI | not those whose name has TOKEN, SECRET, PASSWORD, KEY, AUTH or CREDENTIAL in it: \`"env": { "SHOP_PASSWORD": "$SHOP_PASSWORD" }\` |
| Claude Desktop, Zed | \`env\` of the entry alone |
`;
}

/** For the README of one server, or of both. */
export function clientBlocks(shown: readonly ShownLeaf[], page: string): string {
  const blocks = clients.map(
    (client) => `<details>
<summary>${client.title}</summary>

${shown.map((leaf) => `\`npx -y ${leaf.name} install ${client.id}\``).join(', or ')} writes into ${placeOf(client)}:

${formatEntry(client, shown)}

${client.afterwards}

</details>`,
  );
  return `${shown.map(formatOneClick).join('\n')}\n\n${blocks.join('\n')}\n\nMore about each: [clients](${page}).`;
}

function formatClient(client: Client, shown: readonly ShownLeaf[]): string {
  const files = filesOf(client);
  const rows = files.map(({ systems, file }) => `| ${systems} | \`${file}\` |`);
  return `## ${client.title}

\`\`\`sh
${shown.map(({ name }) => `npx -y ${name} install ${client.id}`).join('\n')}
\`\`\`

| system | file |
|---|---|
${rows.join('\n')}

Section \`${client.section}\`:

${formatEntry(client, shown)}

${client.afterwards}
`;
}

function formatEntry(client: Client, shown: readonly ShownLeaf[]): string {
  const entries = shown.map(({ name, app }) => ({ app, entry: client.entry(startOf(name, [], { platform: 'linux' })) }));
  if (client.form === 'toml') {
    const tables = entries.map(({ app, entry }) => {
      const lines = Object.entries(entry).map(([key, value]) => `${key} = ${formatInline(value)}`);
      return [`[${client.section}.${app}]`, ...lines].join('\n');
    });
    return `\`\`\`toml\n${tables.join('\n\n')}\n\`\`\``;
  }
  const lines = entries.map(({ app, entry }) => `    "${app}": ${formatInline(entry)}`);
  return `\`\`\`json\n{\n  "${client.section}": {\n${lines.join(',\n')}\n  }\n}\n\`\`\``;
}

/** JSON in one line, as a person writes it. */
function formatInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatInline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${formatInline(field)}`);
  return `{ ${fields.join(', ')} }`;
}

function placeOf(client: Client): string {
  return filesOf(client)
    .map(({ systems, file }, _index, all) => (all.length === 1 ? `\`${file}\`` : `\`${file}\` (${systems})`))
    .join(', ');
}

/** Systems that keep it in the same place share a line. */
function filesOf(client: Client): { systems: string; file: string }[] {
  const systems = new Map<string, string[]>();
  for (const [platform, name] of Object.entries(elsewhere)) {
    // The keys of the table above.
    const file = fileOn(client, platform as Platform);
    systems.set(file, [...(systems.get(file) ?? []), name]);
  }
  return [...systems].map(([file, names]) => ({ systems: names.join(', '), file }));
}

/** Written alike on whatever system the pages are made. */
function fileOn(client: Client, platform: Platform): string {
  const env: NodeJS.ProcessEnv = platform === 'win32' ? { APPDATA: '%APPDATA%' } : {};
  const machine: Machine = { platform, home, env };
  return client.file(machine).replaceAll('\\', '/');
}

function formatOneClick({ name, app }: ShownLeaf): string {
  const start: Start = startOf(name, [], { platform: 'linux' });
  const forCode = encodeURIComponent(JSON.stringify({ type: 'stdio', ...start }));
  const forCursor = encodeURIComponent(
    Buffer.from(JSON.stringify({ command: [start.command, ...start.args].join(' ') })).toString('base64'),
  );
  const code = `https://insiders.vscode.dev/redirect/mcp/install?name=${app}&config=${forCode}`;
  const cursor = `https://cursor.com/en/install-mcp?name=${app}&config=${forCursor}`;
  return `- ${app} with one click: [VS Code](${code}), [Cursor](${cursor}).`;
}
