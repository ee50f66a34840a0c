import { type Client, clients, findStart, type Machine, type Start } from '../../packages/core/src/cli/install/clients.ts';
import { leaves, type ShownLeaf } from './leaves.ts';

const home = '~';
const elsewhere = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' } as const;
type Platform = keyof typeof elsewhere;

export function clientsPage(): string {
  const [first] = leaves;
  const blocks = clients.map((client) => formatClient(client, leaves));
  return `# Clients

\`${first?.name} install CLIENT\` writes the entry below: it shows the change, asks, keeps everything else in the file, comments included, and a copy of it
beside it (\`.bak\`). Written again, it keeps what you added to the entry, such as \`env\` or a time limit. \`uninstall CLIENT\` takes back
exactly that.

| command | what |
|---|---|
| \`install\` | asks which of the clients found on this machine to use |
| \`install cursor gemini --readonly\` | several at once; options of the server go into the entry |
| \`install cursor --project\` | writes the project's file (${clients.flatMap(({ projectFile }) => (projectFile === undefined ? [] : `\`${projectFile}\``)).join(', ')}) |
| \`install cursor --env SHOP_PASSWORD\` | passes a variable of the client on; \`--env NAME=VALUE\` writes the value into the file |
| \`install cursor --http\` | writes the URL of this project's [server](serve.md) and a reference to its token; with \`--readonly\`, the client only reads |
| \`install cursor --url https://mole.example.com\` | the same for a server elsewhere; with \`--sign-in\`, the client signs in instead (OAuth) |

${leaves.map(formatOneClick).join('\n')}

On Windows \`npx\` is a script, so \`install\` writes \`"command": "cmd", "args": ["/c", "npx", "-y", …]\` there. To stay with one version, write it
after the name: \`${first?.name}@VERSION\`.

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

${shown.map((leaf) => `\`npx -y ${leaf.name} install ${client.id}\``).join(', or ')} writes into ${findPlace(client)}:

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

${formatRemote(client, shown)}
`;
}

/** The form of `install CLIENT --http`, for the first server. */
function formatRemote(client: Client, [leaf]: readonly ShownLeaf[]): string {
  if (leaf === undefined || client.remote === undefined) return `${client.title} takes no URL from this file.`;
  const variable = `${leaf.app.toUpperCase()}_TOKEN`;
  const input = client.secretInput?.(leaf.app);
  const reference = input?.reference ?? client.envValue?.(variable);
  const headers = reference === undefined ? {} : { Authorization: `Bearer ${reference}` };
  const tokenVariable = client.envList === undefined ? undefined : variable;
  const entry = client.remote({ url: 'http://127.0.0.1:50001/mcp', headers, tokenVariable });
  const text = formatSection(client, [{ app: leaf.app, entry }], input && { [input.list]: [input.item] });
  const hasReference = reference !== undefined || tokenVariable !== undefined;
  const token = hasReference ? '' : ' The token is written into the entry: `"headers": { "Authorization": "Bearer TOKEN" }`.';
  return `With \`--http\`:${token}\n\n${text}`;
}

function formatEntry(client: Client, shown: readonly ShownLeaf[]): string {
  const entries = shown.map(({ name, app }) => ({ app, entry: client.entry(findStart(name, [], { platform: 'linux' })) }));
  return formatSection(client, entries);
}

interface ShownEntry {
  app: string;
  entry: Readonly<Record<string, unknown>>;
}

/** `more` are other members of the file. */
function formatSection(client: Client, entries: readonly ShownEntry[], more: Readonly<Record<string, unknown>> = {}): string {
  if (client.form === 'toml') {
    const tables = entries.map(({ app, entry }) => {
      const lines = Object.entries(entry).map(([key, value]) => `${key} = ${formatInline(value)}`);
      return [`[${client.section}.${app}]`, ...lines].join('\n');
    });
    return `\`\`\`toml\n${tables.join('\n\n')}\n\`\`\``;
  }
  const lines = entries.map(({ app, entry }) => `    "${app}": ${formatInline(entry)}`);
  const others = Object.entries(more).map(([key, value]) => `,\n  "${key}": ${formatInline(value)}`);
  return `\`\`\`json\n{\n  "${client.section}": {\n${lines.join(',\n')}\n  }${others.join('')}\n}\n\`\`\``;
}

/** JSON in one line, as a person writes it. */
function formatInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatInline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${formatInline(field)}`);
  return `{ ${fields.join(', ')} }`;
}

function findPlace(client: Client): string {
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

/** The path is written alike on whatever system the pages are made. */
function fileOn(client: Client, platform: Platform): string {
  const env: NodeJS.ProcessEnv = platform === 'win32' ? { APPDATA: '%APPDATA%' } : {};
  const machine: Machine = { platform, home, env };
  return client.file(machine).replaceAll('\\', '/');
}

function formatOneClick({ name, app }: ShownLeaf): string {
  const start: Start = findStart(name, [], { platform: 'linux' });
  const forCode = encodeURIComponent(JSON.stringify({ type: 'stdio', ...start }));
  const forCursor = encodeURIComponent(
    Buffer.from(JSON.stringify({ command: [start.command, ...start.args].join(' ') })).toString('base64'),
  );
  const code = `https://insiders.vscode.dev/redirect/mcp/install?name=${app}&config=${forCode}`;
  const cursor = `https://cursor.com/en/install-mcp?name=${app}&config=${forCursor}`;
  return `- ${app} with one click: [VS Code](${code}), [Cursor](${cursor}).`;
}
