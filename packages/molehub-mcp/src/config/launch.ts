import { resolve } from 'node:path';
import { askUser, expandText, Failure, rememberSecret, resolveSecret } from '@dbmole/core';
import type { ConfiguredServer } from './read-config.ts';

/** What it takes to reach a server, with every variable and secret in it. */
export type Launch =
  | { kind: 'stdio'; command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd: string }
  | { kind: 'http'; url: URL; headers: Readonly<Record<string, string>> };

interface LaunchOptions {
  env: NodeJS.ProcessEnv;
  /** The working directory of a server whose entry names none. */
  cwd: string;
  home: string;
  signal?: AbortSignal;
}

/** What a program needs to run at all. Everything else is in the entry, or it is not there. */
const basics = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA'],
  ...['PROGRAMFILES', 'USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH', 'PROCESSOR_ARCHITECTURE'],
];

function basicEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && basics.includes(pair[0].toUpperCase()),
    ),
  );
}

export async function resolveLaunch(server: ConfiguredServer, options: LaunchOptions): Promise<Launch> {
  const { entry, problem } = server;
  if (entry === undefined) throw problem ?? new Failure('config', `server "${server.name}" cannot be used`);
  const expand = (text: string, field: string) => expandField(text, { server, field, env: options.env });
  if ('command' in entry) {
    const cwd = entry.cwd === undefined ? undefined : expand(entry.cwd, 'cwd');
    return {
      kind: 'stdio',
      command: expand(entry.command, 'command'),
      args: entry.args.map((arg, index) => expand(arg, `args[${index}]`)),
      env: { ...basicEnvironment(options.env), ...(await resolveValues(entry.env, { server, options, field: 'env' })) },
      cwd:
        cwd === undefined ? (server.isProject ? server.base : options.cwd) : resolve(server.base, expandHome(cwd, options.home)),
    };
  }
  const url = expand(entry.url, 'url');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Failure('config', `server "${server.name}" in ${server.origin} has an invalid "url": expected http or https`);
  return {
    kind: 'http',
    url: new URL(url),
    headers: await resolveValues(entry.headers, { server, options, field: 'headers' }),
  };
}

type Values = Extract<NonNullable<ConfiguredServer['entry']>, { env: unknown }>['env'];

interface ValuesPlace {
  server: ConfiguredServer;
  options: LaunchOptions;
  field: 'env' | 'headers';
}

/** A name of a secret; what else an entry holds may be shown. */
const secretName = /key|token|secret|pass|auth|credential/i;

async function resolveValues(values: Values, { server, options, field }: ValuesPlace): Promise<Record<string, string>> {
  const { env, home, signal } = options;
  const resolved: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    const place = `${field}.${key}`;
    if (typeof value === 'string') {
      resolved[key] = expandField(value, { server, field: place, env });
      if (secretName.test(key) && resolved[key].length >= 8) rememberSecret(resolved[key]);
      continue;
    }
    const subject = `${place} of server "${server.name}" (${server.origin})`;
    const origin = { kind: server.isProject ? 'project' : 'store', where: server.origin } as const;
    const { name: connection, base } = server;
    resolved[key] = await resolveSecret(value, { env, origin, connection, field: place, subject, base, home, signal });
  }
  return resolved;
}

interface FieldPlace {
  server: ConfiguredServer;
  field: string;
  env: NodeJS.ProcessEnv;
}

/** `${NAME}` and `${NAME:-default}`, and `${env:NAME}` as VS Code and Cursor write it. */
function expandField(text: string, { server, field, env }: FieldPlace): string {
  const { text: expanded, unset, malformed } = expandText(text.replaceAll('${env:', '${'), env);
  const where = `the field ${field} of server "${server.name}" (${server.origin})`;
  const [variable] = unset;
  if (variable !== undefined) {
    throw new Failure('config', `${where} uses the environment variable ${variable}, which is not set`, {
      code: 'E_ENV_UNSET',
      hint: askUser(`set ${variable} in the environment of molehub-mcp, or write \${${variable}:-default}`),
    });
  }
  if (malformed) throw new Failure('config', `${where} has an unterminated or invalid \${…}; write $\${ for a plain one`);
  return expanded;
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}
