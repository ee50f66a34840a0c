import type { CatalogRun } from '../engine.ts';

/** What one action of a statement would do. */
export interface DdlEffect {
  /** `ADD COLUMN note (volatile default)` */
  action: string;
  /** The lock, on what, and what waits for it. Undefined where it is not known; so is `work`. */
  lock: string | undefined;
  /** Whether the table is rewritten or scanned. */
  work: string | undefined;
  notes: readonly string[];
  /** Other ways to the same end that block less. */
  safer: readonly string[];
}

/** What is known of a DDL statement before it runs. */
export interface DdlReport {
  /** `ALTER TABLE` */
  command: string;
  /** `PostgreSQL 18.4` */
  server: string;
  /** The tables with their size, one line each. */
  objects: readonly string[];
  effects: readonly DdlEffect[];
  /** The sessions that the statement would wait for now, one line each. */
  inTheWay: readonly string[];
  /** Sentences about the statement as a whole. */
  notes: readonly string[];
}

/** Tells what a statement of DDL would do. It sends questions over the catalog alone, never the statement. */
export interface DdlReader {
  explain(run: CatalogRun, sql: string): Promise<DdlReport>;
}

/** Replaces `{table}` and its like; a name that is not known stays a word in capitals. */
export function fillTemplate(template: string, names: Readonly<Record<string, string | undefined>>): string {
  return template.replace(/\{([a-z]+)\}/g, (_, name: string) => names[name] ?? name.toUpperCase());
}

const maxSessions = 8;

/** The first line of the answer, in our own words alone. */
export function formatDdlLine({ command, server }: DdlReport): string {
  return `${command} on ${server}; nothing was run.`;
}

export function formatDdl({ objects, effects, inTheWay, notes }: DdlReport): string {
  const rest = inTheWay.length - maxSessions;
  const lines = [
    ...objects,
    ...effects.flatMap(formatEffect),
    ...inTheWay.slice(0, maxSessions).map((session) => `in the way now: ${session}`),
    ...(rest > 0 ? [`in the way now: ${rest} more sessions`] : []),
    ...notes,
  ];
  return lines.map((line) => line.replaceAll('⟦', '⟦U+27E6⟧').replaceAll('\n', ' ')).join('\n');
}

function formatEffect({ action, lock, work, notes, safer }: DdlEffect): string[] {
  return [
    `${action}:`,
    `  lock: ${lock ?? 'not known'}`,
    `  work: ${work ?? 'not known'}`,
    ...notes.map((note) => `  note: ${note}`),
    ...safer.map((way) => `  safer: ${way}`),
  ];
}
