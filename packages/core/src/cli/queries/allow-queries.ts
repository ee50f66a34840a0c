import { basename, dirname, join } from 'node:path';
import { findStorePath } from '../../program/app.ts';
import { loadQueries, type WithQueries } from '../../program/load-queries.ts';
import { findProjectFolder } from '../../queries/find-folders.ts';
import { readTrusted } from '../../queries/query-folder.ts';
import type { QueryEntry } from '../../queries/query-library.ts';
import { projectFilePlaces, realPlace, trustPathFor } from '../../registry/sources/paths.ts';
import { allowQueryFiles, createTrust, disallowQueryFiles } from '../../registry/trust/trust.ts';
import { formatVisible } from '../../text.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The saved queries of one project, as they are now. */
interface ProjectQueries {
  folder: string;
  entries: readonly QueryEntry[];
}

/** The nearest folder of a project in or above this place. */
export async function findProjectQueries(
  definition: WithQueries,
  { env, home }: Pick<Terminal, 'env' | 'home'>,
  place: string,
): Promise<ProjectQueries | undefined> {
  const root = findRoot(definition.program.app, place);
  const loaded = await loadQueries(definition, { env, home, cwd: root });
  const folder = loaded?.library.folders.find(({ kind }) => kind === 'project')?.path;
  if (loaded === undefined || folder === undefined) return undefined;
  return { folder, entries: loaded.library.read().filter((entry) => entry.folder.path === folder) };
}

/** A person may also name the folder with the queries itself. */
function findRoot(app: string, place: string): string {
  return findProjectFolder(app, dirname(dirname(place))) === place ? dirname(dirname(place)) : place;
}

interface AllowCall {
  definition: WithQueries;
  terminal: Terminal;
  options: { yes?: boolean };
}

/** Shows each query that is not allowed as it is now, and remembers exactly the bytes that were shown. */
export async function allowQueries({ folder, entries }: ProjectQueries, call: AllowCall): Promise<number> {
  const { definition, terminal, options } = call;
  const trustPath = trustPathFor(findStorePath(definition.program.app, terminal));
  const pending = entries.filter(({ isPending, query }) => isPending && query !== undefined);
  const broken = entries.filter(({ query }) => query === undefined);
  const trust = createTrust(trustPath);
  for (const { path, problem = '' } of broken)
    terminal.print(`${formatVisible(path)} cannot be allowed: ${formatVisible(problem)}`);
  if (pending.length === 0) {
    terminal.print(`${formatVisible(folder)}: no saved query is new or changed.`);
    return broken.length > 0 ? 1 : 0;
  }
  const describe = ({ path }: QueryEntry) => (trust.lastAllowed(path) === undefined ? 'new' : 'changed since it was allowed');
  const others = entries.length - pending.length - broken.length;
  terminal.print(
    `${formatVisible(folder)}: ${count(pending.length)} not allowed yet${others === 0 ? '' : `, ${others} allowed as they are`}\n`,
  );
  for (const entry of pending)
    terminal.print(`${formatVisible(basename(entry.path))} (${describe(entry)})\n${formatText(entry)}\n`);
  const question = `Allow ${pending.length === 1 ? 'this saved query' : `these ${count(pending.length)}`}? They become tools, and can only read.`;
  if (!(await confirm(terminal, { question, yes: options.yes, instead: 'pass --yes after reading them' }))) {
    terminal.print('Not allowed.');
    return 1;
  }
  const files = entries.flatMap(({ path, image, query }) =>
    image === undefined || query === undefined ? [] : [{ ...readTrusted({ path, image }), name: query.name }],
  );
  await allowQueryFiles(trustPath, realPlace(folder), files);
  terminal.print(
    `Allowed ${count(pending.length)} in ${formatVisible(folder)} as they are now. A server offers new ones after a restart.`,
  );
  return 0;
}

/** A sentence that names what was revoked; undefined where there is no folder and nothing was allowed. */
export async function disallowQueries(app: string, trustPath: string, place: string): Promise<string | undefined> {
  const folders = projectFilePlaces(findRoot(app, place), `.${app}`).map((path) => join(realPlace(path), 'queries'));
  const trust = createTrust(trustPath);
  const folder = folders.find((one) => [...trust.paths()].some((path) => dirname(path) === one));
  if (folder === undefined) return undefined;
  const removed = await disallowQueryFiles(trustPath, folder);
  return `${formatVisible(folder)}: ${count(removed)} no longer allowed; running servers stop using them at their next call.`;
}

function count(number: number): string {
  return number === 1 ? '1 saved query' : `${number} saved queries`;
}

/**
 * Shows all of it, after a mark on each line that no text can imitate. White space that would push a part out of sight is named.
 */
function formatText({ image }: QueryEntry): string {
  const text = formatVisible(image?.bytes.toString('utf8') ?? '')
    .replace(/\n(?:[ \t\r]*\n){3,}/g, (lines) => `\n(${lines.split('\n').length - 2} empty lines)\n`)
    .replace(/[ \t]{60,}/g, (spaces) => ` (${spaces.length} spaces) `);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  | ${line}`)
    .join('\n');
}
