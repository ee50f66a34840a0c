import { useState } from 'preact/hooks';
import { useAction } from '../action.ts';
import { run } from '../api.ts';
import type { WaitingQuestion } from './approvals-state.ts';
import { Remaining } from './remaining.tsx';

/** A change whose call is held: its agent gets the decision at once. */
export function WaitingChange({ question, now }: { question: WaitingQuestion; now: number }) {
  const { id, tool, client, message, expiresAt } = question;
  const [reason, setReason] = useState('');
  const { isRunning, problem, start } = useAction();
  const answer = (isApproved: boolean) => async () => {
    const given = reason.trim() === '' || isApproved ? {} : { reason: reason.trim() };
    const { isOpen } = await run<{ isOpen: boolean }>('approvals', 'answer', { id, isApproved, ...given });
    if (!isOpen) throw new Error('This change was decided elsewhere, or has expired.');
  };
  return (
    <article class="change" aria-label={`${tool}, waiting`}>
      <h2>
        {tool}
        {client && ` of ${client}`}
      </h2>
      <p class="hint">
        The agent waits for your answer: <Remaining expiresAt={expiresAt} now={now} />
      </p>
      <pre tabIndex={0}>{message}</pre>
      <div class="tools">
        <button type="button" class="approve" disabled={isRunning} onClick={() => start(answer(true))}>
          Approve
        </button>
        <label>
          Reason to decline, which the agent reads
          <input type="text" maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <button type="button" class="decline" disabled={isRunning} onClick={() => start(answer(false))}>
          Decline
        </button>
      </div>
      {problem !== '' && <p role="alert">{problem}</p>}
    </article>
  );
}
