import { Failure } from '../failure.ts';

const unitMs = { ms: 1, s: 1_000, m: 60_000 } as const;
const maxMs = 3_600_000;

/** `30s`, `500ms`, `5m`, and a number alone, which is seconds. */
export function parseTime(text: string, what = 'timeout'): number {
  const match = /^(?<number>\d+(?:\.\d+)?)\s*(?<unit>ms|s|m)?$/.exec(text.trim());
  const unit = match?.groups?.unit;
  const factor = unit === 'ms' || unit === 'm' ? unitMs[unit] : unitMs.s;
  const milliseconds = Math.round(Number(match?.groups?.number) * factor);
  if (milliseconds >= 1 && milliseconds <= maxMs) return milliseconds;
  throw new Failure(
    'input',
    `invalid ${what} ${JSON.stringify(text.slice(0, 40))}: expected a duration such as 30s, 500ms or 5m`,
    {
      hint: 'Pass at most 60m.',
    },
  );
}
