import type { DdlEffect, DdlReport } from './ddl-report.ts';

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
