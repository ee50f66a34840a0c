import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import type { Backend } from '../../manager/backend.ts';
import { findStorePath } from '../../program/app.ts';
import { loadQueries } from '../../program/load-queries.ts';
import { findOwnFolder, findProjectFolder, type QueryFolder } from '../../queries/find-folders.ts';
import type { LoadedQueries } from '../../queries/loaded-queries.ts';
import { isQueryName, nameForm } from '../../queries/query-file.ts';
import { findQueriesRoot } from '../../registry/sources/paths.ts';
import { formatVisible } from '../../text.ts';
import type { CommandCall } from '../command.ts';
import { exitCodes } from '../command.ts';

/** Begins a file with all that a header can say. */
export async function create<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<number> {
  const [name = ''] = call.words;
  if (!isQueryName(name)) throw new Failure('input', `invalid name ${JSON.stringify(name.slice(0, 60))}: expected ${nameForm}`);
  const { bodies, rules, extension, folder } = await findTarget(call);
  const [connection, another] = (await call.app.registry.list()).entries;
  const { params, body } = bodies.example;
  const [mark = ''] = rules.comments;
  const header = [
    'description: What it answers, in one sentence.',
    'when: the user asks …',
    ...(connection === undefined || another === undefined ? [] : [`connection: ${connection.name}`]),
    ...params.map((line) => `param ${line}`),
    'timeout: 10s',
  ];
  const path = writeQuery({ folder, name, extension, text: formatQuery(mark, { name, header, body }) });
  const { terminal, definition } = call;
  const program = definition.program.name;
  terminal.print(
    `Wrote ${formatVisible(path)}. Edit it, then run \`${program} queries check ${name}\`${folder.kind === 'project' ? ` and \`${program} allow\`` : ''}.`,
  );
  return exitCodes.ok;
}

export interface QueryTarget {
  bodies: LoadedQueries['bodies'];
  rules: LoadedQueries['rules'];
  extension: string;
  folder: QueryFolder;
}

/** Where a new file goes: the person's own folder, or with `--project` that of the project. */
export async function findTarget<C extends BaseConnection, B extends Backend>(call: CommandCall<C, B>): Promise<QueryTarget> {
  const { definition, terminal, options } = call;
  const { app } = definition.program;
  const loaded = await loadQueries(definition, { ...terminal, always: true });
  if (loaded === undefined || definition.queries === undefined) throw new Failure('unknown', 'this server has no saved queries');
  const folder: QueryFolder = options.project
    ? { path: findProjectFolder(app, findQueriesRoot(terminal.cwd, app) ?? terminal.cwd), kind: 'project' }
    : { path: findOwnFolder(findStorePath(app, terminal)), kind: 'own' };
  const { bodies, rules } = loaded;
  return { bodies, rules, extension: definition.queries.extension, folder };
}

export function formatQuery(
  mark: string,
  { name, header, body }: { name: string; header: readonly string[]; body: string },
): string {
  return `${[`tool: ${name}`, ...header].map((line) => `${mark} ${line}`).join('\n')}\n${body.trim()}\n`;
}

/** Never replaces a file. */
export function writeQuery({
  folder,
  name,
  extension,
  text,
}: Pick<QueryTarget, 'folder' | 'extension'> & { name: string; text: string }): string {
  const path = join(folder.path, `${name}${extension}`);
  if (existsSync(path)) throw new Failure('input', `${path} exists already`, { hint: 'Choose another name.' });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { flag: 'wx', mode: folder.kind === 'own' ? 0o600 : 0o644 });
  return path;
}
