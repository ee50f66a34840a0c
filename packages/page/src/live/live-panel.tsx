import { useMemo, useState } from 'preact/hooks';
import { useNow } from '../clock.ts';
import { formatCount, formatDuration, formatPlural, formatTime } from '../format.ts';
import { linkTo, type PanelProps } from '../panel.ts';
import { CallDetails } from './call-details.tsx';
import { filterCalls, type LiveFilter, listValues, noFilter } from './filter-calls.ts';
import type { LiveCall, LiveState } from './live-state.ts';

/** More rows than a person reads; the filters reach the others. */
const maxRows = 300;
const nothing: LiveState = new Map();

/** Every call of every client, the newest first. */
export function LivePanel({ state = nothing, path: [chosen] }: PanelProps<LiveState>) {
  const [filter, setFilter] = useState(noFilter);
  // While it is paused, what was there at that moment is shown.
  const [paused, setPaused] = useState<LiveState>();
  const calls = useMemo(() => [...(paused ?? state).values()], [paused, state]);
  const shown = useMemo(() => filterCalls(calls, filter), [calls, filter]);
  const missed = paused === undefined ? 0 : [...state.keys()].filter((id) => !paused.has(id)).length;
  return (
    <div class="split" data-open={chosen !== undefined}>
      <section aria-label="Calls">
        <Tools
          {...{ calls, filter, setFilter, isPaused: paused !== undefined }}
          setPaused={(isPaused) => setPaused(isPaused ? state : undefined)}
        />
        <p class="hint" role="status">
          {formatPlural(shown.length, 'call')}
          {shown.length > maxRows && `, of which the last ${maxRows} are shown`}
          {paused !== undefined && `; paused, ${formatCount(missed)} more since`}
        </p>
        {calls.length === 0 ? (
          <p>No calls yet. They appear here as agents make them; only the last ones are kept, in memory.</p>
        ) : (
          <Calls calls={shown.slice(0, maxRows)} chosen={chosen} />
        )}
      </section>
      {chosen !== undefined && <CallDetails id={chosen} call={state.get(chosen)} />}
    </div>
  );
}

interface ToolsProps {
  calls: readonly LiveCall[];
  filter: LiveFilter;
  setFilter(filter: LiveFilter): void;
  isPaused: boolean;
  setPaused(isPaused: boolean): void;
}

function Tools({ calls, filter, setFilter, isPaused, setPaused }: ToolsProps) {
  return (
    <search class="tools">
      <label>
        Search
        <input
          type="search"
          value={filter.search}
          onInput={(event) => setFilter({ ...filter, search: event.currentTarget.value })}
        />
      </label>
      {(['state', 'client', 'connection'] as const).map((key) => (
        <label key={key}>
          {key}
          <select value={filter[key]} onChange={(event) => setFilter({ ...filter, [key]: event.currentTarget.value })}>
            <option value="">all</option>
            {listValues(calls, key).map((value) => (
              <option key={value} value={value}>
                {value}
              </option>
            ))}
          </select>
        </label>
      ))}
      <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
        {isPaused ? 'Continue' : 'Pause'}
      </button>
    </search>
  );
}

function Calls({ calls, chosen }: { calls: readonly LiveCall[]; chosen: string | undefined }) {
  const now = useNow(calls.some(({ state }) => state === 'running'));
  return (
    // The keyboard can scroll it.
    <section class="scroll" aria-label="Table of calls" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">State</th>
            <th scope="col">Client</th>
            <th scope="col">Connection</th>
            <th scope="col">Tool</th>
            <th scope="col">Statement</th>
            <th scope="col" class="number">
              Rows
            </th>
            <th scope="col" class="number">
              Took
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <Row key={call.id} call={call} isChosen={call.id === chosen} now={now} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ call, isChosen, now }: { call: LiveCall; isChosen: boolean; now: number }) {
  const { id, at, state, code, client, door, connection, tool, text, rows, changed, milliseconds } = call;
  const took = milliseconds ?? (state === 'running' ? Math.max(0, now - at) : undefined);
  return (
    <tr data-chosen={isChosen}>
      <td>
        <a href={linkTo('live', id)} aria-current={isChosen ? 'true' : undefined}>
          {formatTime(at)}
        </a>
      </td>
      <td>
        <span class="state" data-state={state}>
          {state}
        </span>
        {code !== undefined && <span class="code"> {code}</span>}
      </td>
      <td>{client || door}</td>
      <td>{connection}</td>
      <td>{tool}</td>
      <td class="statement" title={text}>
        {text}
      </td>
      <td class="number">
        {rows === undefined ? (changed === undefined ? '' : `${formatCount(changed)} changed`) : formatCount(rows)}
      </td>
      <td class="number">{took === undefined ? '' : formatDuration(took)}</td>
    </tr>
  );
}
