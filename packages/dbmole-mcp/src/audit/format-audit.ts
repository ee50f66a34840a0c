import type { Capabilities } from './capabilities.ts';

/** Of one line; longer ones would be cut where they are shown, and a statement must not be. */
const longestLine = 480;
/** Of all that is not SQL: with the statements, it should be read at a glance. */
const longestPowers = 420;
const longestNote = 200;

const longer = 'How to make a role that only reads is in docs/safety.md.';

/** A handful of lines for a person and a model. */
export function formatAudit({ powers, complete, notes, reader }: Capabilities): string[] {
  const said = notes.slice(0, 2).map((note) => note.slice(0, longestNote));
  if (powers.length === 0)
    return [complete ? 'It can only read.' : 'Nothing was found that it could do beyond reading.', ...said];
  const fits = reader.every((line) => line.length <= longestLine);
  const how = reader.length === 0 ? [] : fits ? ['A role that only reads:', ...reader] : [longer];
  return [formatPowers(powers), ...said, ...how];
}

/** As many as fit; the worst are the first. */
function formatPowers(powers: readonly string[]): string {
  const shown: string[] = [];
  for (const power of powers) {
    if (shown.length > 0 && [...shown, power].join('; ').length > longestPowers) break;
    shown.push(power);
  }
  const rest = powers.length - shown.length;
  return `This account could also: ${[...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')}.`;
}
