import type { Audit } from '@dbmole/core';
import type { Capabilities } from './capabilities.ts';

/** The limit of all text but SQL: it should be readable at a glance. */
const maxPowersLength = 420;
const maxNoteLength = 200;

/** Shows statements only if they would remove something that was found. */
export function formatAudit({ powers, complete, notes, reader, shared }: Capabilities): Audit {
  const more = notes.slice(0, 2).map((note) => note.slice(0, maxNoteLength));
  if (powers.length > 0) return { findings: [formatPowers(powers), ...more], reader, shared };
  const none = complete ? 'It can only read.' : 'Nothing was found that it can do beyond reading.';
  return { findings: [none, ...more], reader: [], shared: [] };
}

/** Shows as many as fit, the worst first. */
function formatPowers(powers: readonly string[]): string {
  const shown: string[] = [];
  for (const power of powers) {
    if (shown.length > 0 && [...shown, power].join('; ').length > maxPowersLength) break;
    shown.push(power);
  }
  const rest = powers.length - shown.length;
  return `This account can also: ${[...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')}.`;
}
