import type { CellValue } from '../../answer/csv.ts';
import { respond, type ToolReply } from '../../answer/respond.ts';
import { truncateRows } from '../../answer/truncate-rows.ts';
import type { BaseConnection } from '../../connection.ts';
import { type Door, formatAdvice, formatHint } from '../../failure.ts';
import type { ConnectionStatus } from '../../manager/backend.ts';
import { addFirst } from '../../registry/lookup.ts';
import type { Entry, Origin, Snapshot } from '../../registry/registry.ts';
import type { PublicView } from './destinations.ts';
import { formatWay } from './route-text.ts';

export interface ConnectionListOptions<C extends BaseConnection> {
  page: { limit: number; offset: number };
  publicView(config: C): PublicView;
  status(name: string): ConnectionStatus;
  door: Door;
}

const shownProblems = 5;

/** All connections as a table: what can be used, from where it comes, what it hides, and why something cannot be used. */
export function formatConnections<C extends BaseConnection>(snapshot: Snapshot<C>, options: ConnectionListOptions<C>): ToolReply {
  const notes = problemNotes(snapshot, options.door);
  if (snapshot.entries.length === 0) {
    const next = formatHint(addFirst, options.door) ?? '';
    const state = notes.length > 0 ? 'No connection can be used.' : `No connections are configured. ${next}`;
    return respond.text([state, ...notes].join('\n'));
  }
  const { limit, offset } = options.page;
  const views = snapshot.entries.map((entry) => describeEntry(entry, { ...options, problems: snapshot.problems }));
  const columns = [...new Set(views.flatMap((view) => Object.keys(view)))].filter((column) =>
    views.some((view) => isSaid(view[column])),
  );
  const writer = truncateRows({ columns, rowLimit: limit, offset, cellLimit: 2_000 });
  for (const view of views.slice(offset)) if (!writer.add(columns.map((column) => view[column] ?? ''))) break;
  return respond.table(writer.finish(), { notes });
}

/** What may be shown of one connection, by column: its name, what its server shows of it, its state and its origin. */
export function describeEntry<C extends BaseConnection>(
  entry: Entry<C>,
  { publicView, status, door, problems }: Omit<ConnectionListOptions<C>, 'page'> & Pick<Snapshot<C>, 'problems'>,
): Record<string, CellValue> {
  const shown = entry.config === undefined ? {} : publicView(entry.config);
  const row: Record<string, CellValue> = { name: entry.name, description: entry.config?.description ?? '' };
  for (const [column, value] of Object.entries(shown)) row[column] = value ?? '';
  row.readonly = entry.config === undefined ? '' : entry.config.readonly;
  const { state, tunnel, unconfirmed = 0 } = status(entry.name);
  row.via = entry.config?.ssh === undefined ? '' : formatWay(entry.config.ssh, tunnel);
  row.state = entry.problem === undefined ? state : 'unusable';
  row.from = formatOrigin(entry.origin);
  row.note = formatNotes(entry, unconfirmed, { door, problems });
  return row;
}

/** Empty columns are left out. */
function isSaid(value: CellValue | undefined): boolean {
  return value !== undefined && value !== '';
}

function formatNotes<C extends BaseConnection>(
  { problem, shadows }: Entry<C>,
  unconfirmed: number,
  { door, problems }: Pick<ConnectionListOptions<C>, 'door'> & Pick<Snapshot<C>, 'problems'>,
): string {
  const notes: string[] = [];
  // The problem of a whole file is in the first line.
  const isListed = problems.slice(0, shownProblems).some(({ failure }) => failure.message === problem?.message);
  if (problem !== undefined) notes.push(isListed ? problem.code : `${problem.code}: ${formatAdvice(problem, door)}`);
  if (shadows.length > 0) notes.push(formatHidden(shadows));
  if (unconfirmed > 0) {
    const statements = unconfirmed === 1 ? '1 statement that was given up' : `${unconfirmed} statements that were given up`;
    notes.push(`${statements} may still be running in the database`);
  }
  return notes.join('; ');
}

/** Names the connections that this one hides; empty without any. */
export function formatHidden(shadows: readonly Origin[]): string {
  return shadows.length === 0 ? '' : `hides the one of this name in ${shadows.map(formatOrigin).join(' and ')}`;
}

function problemNotes<C extends BaseConnection>({ problems }: Snapshot<C>, door: Door): string[] {
  const notes = problems.slice(0, shownProblems).map(({ failure }) => `${failure.code}: ${formatAdvice(failure, door)}`);
  const rest = problems.length - notes.length;
  return rest > 0 ? [...notes, `${rest} more problems in the configuration.`] : notes;
}

/** What a person edits. */
function formatOrigin({ kind, where }: Origin): string {
  return kind === 'env' ? `environment variable ${where}` : `${kind} ${where}`;
}
