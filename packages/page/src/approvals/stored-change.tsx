import { useState } from 'preact/hooks';
import { useAction } from '../action.ts';
import { run } from '../api.ts';
import type { StoredCall } from './approvals-state.ts';
import { Remaining } from './remaining.tsx';

/** What became of measuring, or of the decision. */
type Outcome = { question: string } | { text: string; isError: boolean };

/** A change whose agent was told that it waits: it is measured when the person looks at it, and made here. */
export function StoredChange({ call, now }: { call: StoredCall; now: number }) {
  const { id, tool, connection, summary, expiresAt, elsewhere } = call;
  const [outcome, setOutcome] = useState<Outcome>();
  const { isRunning, problem, start } = useAction();
  const ask = (action: 'measure' | 'decide', input: object) => async () =>
    setOutcome(await run<Outcome>('approvals', action, { id, ...input }));
  const isAsked = outcome !== undefined && 'question' in outcome;
  return (
    <article class="change" aria-label={`${tool}, refused until confirmed`}>
      <h2>
        {tool}
        {connection && ` on ${connection}`}
      </h2>
      <p class="hint">
        The agent was told that this waits for you: <Remaining expiresAt={expiresAt} now={now} />
      </p>
      <p class="summary">{summary}</p>
      {elsewhere !== '' && <p>It belongs to another folder. Confirm it in a terminal there: {elsewhere}</p>}
      {outcome !== undefined && <pre tabIndex={0}>{'question' in outcome ? outcome.question : outcome.text}</pre>}
      {elsewhere === '' && (
        <div class="tools">
          {!isAsked && (
            <button type="button" disabled={isRunning} onClick={() => start(ask('measure', {}))}>
              Measure and show it
            </button>
          )}
          {isAsked && (
            <button type="button" class="approve" disabled={isRunning} onClick={() => start(ask('decide', { isApproved: true }))}>
              Approve
            </button>
          )}
          <button type="button" class="decline" disabled={isRunning} onClick={() => start(ask('decide', { isApproved: false }))}>
            Decline
          </button>
        </div>
      )}
      {problem !== '' && <p role="alert">{problem}</p>}
    </article>
  );
}
