import { useAction } from '../action.ts';
import { run } from '../api.ts';
import { useConnections } from '../connection-list.ts';
import { formatDuration, formatTime } from '../format.ts';
import { linkTo, type PanelProps } from '../panel.ts';
import { CheckDetails } from './check-details.tsx';
import { HealthHistory } from './health-history.tsx';
import type { HealthRun, HealthState } from './health-state.ts';
import { StateWord } from './state-word.tsx';

/** What is wrong with a database, worst first, as `diagnose` says it. */
export function HealthPanel({ state = [], path: [asked, check] }: PanelProps<HealthState>) {
  const { list, failure } = useConnections();
  const names = list?.connections.map(({ name }) => name) ?? [];
  const connection = asked || state.at(-1)?.connection || names[0];
  const { isRunning, problem, start } = useAction();
  const last = state.findLast((one) => one.connection === connection);
  if (failure !== '') return <p role="alert">{failure}</p>;
  if (connection === undefined) return <p>{list === undefined ? 'Loading…' : 'No connections are configured.'}</p>;
  const runChecks = async () => void (await run('health', 'overview', { connection }));
  return (
    <>
      <div class="tools">
        <label>
          Connection
          <select
            value={connection}
            disabled={isRunning}
            onChange={(event) => (location.hash = linkTo('health', event.currentTarget.value))}
          >
            {[...new Set([...names, connection])].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={isRunning} onClick={() => start(runChecks)}>
          {isRunning ? 'Running…' : last === undefined ? 'Run the checks' : 'Run again'}
        </button>
      </div>
      {problem !== '' && <p role="alert">{problem}</p>}
      <p class="hint" role="status">
        {last === undefined
          ? `The checks read statistics and the catalog of ${connection}; they change nothing.`
          : `Checked at ${formatTime(last.at)}, in ${formatDuration(last.milliseconds)}.`}
      </p>
      <div class="split" data-open={check !== undefined}>
        {last !== undefined && <Checks last={last} chosen={check} />}
        {check !== undefined && <CheckDetails key={`${last?.id}/${check}`} connection={connection} check={check} />}
      </div>
      <HealthHistory runs={state} />
    </>
  );
}

function Checks({ last: { connection, checks, text }, chosen }: { last: HealthRun; chosen: string | undefined }) {
  if (text !== '') return <pre tabIndex={0}>{text}</pre>;
  return (
    <section aria-label="Checks">
      <ul class="checks">
        {checks.map(({ check, state, text: found }) => (
          <li key={check} data-chosen={check === chosen}>
            <StateWord state={state} />
            <a href={linkTo('health', connection, check)} aria-current={check === chosen ? 'true' : undefined}>
              {check}
            </a>
            <span class="found">{found}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
