import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '@dbmole/core';

/** The first version of Node whose SQLite reports columns. */
const minNode = { major: 22, minor: 16 };

/** Another Node for the process that opens files, where the server runs on an older one. */
const variable = 'DBMOLE_NODE';

/** The Node that opens SQLite files: the one that runs the server, unless a person names another. */
export function findNode(env: NodeJS.ProcessEnv = process.env, version = process.versions.node): string {
  const named = env[variable]?.trim();
  if (named) return named;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > minNode.major || (major === minNode.major && minor >= minNode.minor)) return process.execPath;
  throw new Failure(
    'config',
    `SQLite needs Node ${minNode.major}.${minNode.minor} or later, and this server runs on Node ${version}`,
    {
      code: 'E_NODE_VERSION',
      hint: `Start it with "npx -y -p node@24 -p dbmole-mcp dbmole-mcp", which brings a newer Node, or set ${variable} to the path of one.`,
    },
  );
}

/** Variables by which SQLite finds the folder of its temporary files, and Windows its own libraries. */
const passedVariables = ['TMPDIR', 'SQLITE_TMPDIR', 'TMP', 'TEMP', 'SystemRoot'];

interface NodeCommand {
  node: string;
  args: readonly string[];
  env: Record<string, string>;
}

/**
 * How a program for SQLite is started. `source` is where its source is; the bundle has it as a file beside all others, and the source is run
 * by the Node that strips its types.
 */
export function describeNode(source: URL): NodeCommand {
  const isSource = import.meta.url.endsWith('.ts');
  const program = isSource ? source : new URL(`./${basename(source.pathname, '.ts')}.js`, import.meta.url);
  const args = ['--disable-warning=ExperimentalWarning', ...(isSource ? ['--experimental-strip-types'] : [])];
  const env = passedVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
  return { node: findNode(), args: [...args, fileURLToPath(program)], env: Object.fromEntries(env) };
}
