import { formatPlural, formatTime } from '../format.ts';
import { linkTo } from '../panel.ts';
import type { HealthRun, HealthState } from './health-state.ts';
import { StateWord } from './state-word.tsx';

/** When the checks ran since the server started, and what was worst, the newest first. */
export function HealthHistory({ runs }: { runs: HealthState }) {
  if (runs.length === 0) return null;
  return (
    <section aria-label="History">
      <h2>Since the server started</h2>
      <ul class="checks">
        {runs.toReversed().map((one) => (
          <li key={one.id}>
            <time>{formatTime(one.at)}</time>
            <a href={linkTo('health', one.connection)}>{one.connection}</a>
            <Worst run={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Worst({ run: { checks, text } }: { run: HealthRun }) {
  const [worst] = checks;
  if (worst === undefined) return <span class="found">{text.split('\n', 1)}</span>;
  const count = checks.filter(({ state }) => state !== 'ok' && state !== 'unavailable').length;
  if (count === 0) return <span class="found">nothing found</span>;
  return (
    <span class="found">
      <StateWord state={worst.state} /> {worst.check}: {worst.text} ({formatPlural(count, 'check')} with findings)
    </span>
  );
}
