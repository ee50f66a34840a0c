import { formatDuration } from '../format.ts';

/** How long a change can still be decided. */
export function Remaining({ expiresAt, now }: { expiresAt: number; now: number }) {
  const left = Math.max(0, expiresAt - now);
  return <>{left === 0 ? 'expired' : `${formatDuration(Math.ceil(left / 1_000) * 1_000)} left`}</>;
}
