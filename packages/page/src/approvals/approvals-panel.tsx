import { useNow } from '../clock.ts';
import { formatTime } from '../format.ts';
import type { PanelProps } from '../panel.ts';
import type { ApprovalsState, SettledQuestion } from './approvals-state.ts';
import { StoredChange } from './stored-change.tsx';
import { WaitingChange } from './waiting-change.tsx';

const outcomes: Readonly<Record<SettledQuestion['outcome'], string>> = {
  approved: 'approved',
  declined: 'declined',
  expired: 'expired: there was no answer in time',
  withdrawn: 'withdrawn: the client gave the call up',
  left: 'left: the client was told that it waits, and does not wait itself',
};

/** Changes that wait for the person, and what became of the last ones. */
export function ApprovalsPanel({ state }: PanelProps<ApprovalsState>) {
  const { waiting, stored, settled } = state ?? { waiting: [], stored: [], settled: [] };
  const now = useNow(waiting.length + stored.length > 0);
  return (
    <>
      <section aria-label="Waiting changes">
        {waiting.length + stored.length === 0 && (
          <p>Nothing waits. Changes of connections with “writes: ask” appear here before they are made.</p>
        )}
        {waiting.map((one) => (
          <WaitingChange key={one.id} question={one} now={now} />
        ))}
        {stored.map((one) => (
          <StoredChange key={one.id} call={one} now={now} />
        ))}
      </section>
      {settled.length > 0 && (
        <section aria-label="Settled changes">
          <h2>Settled</h2>
          <ul class="settled">
            {settled.map((one) => (
              <li key={one.id}>
                <details>
                  <summary>
                    {formatTime(one.settledAt)} {one.tool}
                    {one.client && ` of ${one.client}`}: {outcomes[one.outcome]}
                  </summary>
                  <pre tabIndex={0}>{one.message}</pre>
                </details>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
