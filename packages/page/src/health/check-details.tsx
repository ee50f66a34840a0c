import { useEffect, useState } from 'preact/hooks';
import { run } from '../api.ts';
import { CopyButton } from '../copy-button.tsx';
import { linkTo } from '../panel.ts';
import type { CheckLine } from './health-state.ts';
import { StateWord } from './state-word.tsx';

interface Finding {
  severity: CheckLine['state'];
  evidence: string;
  consequence: string;
  next: string;
}

interface Details {
  head: string;
  findings: readonly Finding[];
  listing: readonly string[];
  others: readonly string[];
}

/** The number that the tool shows at once. */
const pageSize = 20;

/** The findings of one check, and what it lists beside them. It is read when it is shown. */
export function CheckDetails({ connection, check }: { connection: string; check: string }) {
  const [offset, setOffset] = useState(0);
  const [shown, setShown] = useState<Details>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    setShown(undefined);
    setProblem('');
    run<Details | { text: string }>('health', 'details', { connection, check, offset }, controller.signal).then(
      (answer) => ('text' in answer ? setProblem(answer.text) : setShown(answer)),
      (error: unknown) => controller.signal.aborted || setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => controller.abort();
  }, [connection, check, offset]);
  return (
    <section class="details" aria-label="Chosen check">
      <p>
        <a href={linkTo('health', connection)}>Close</a>
      </p>
      <h2>{check}</h2>
      {problem !== '' && <p role="alert">{problem}</p>}
      {shown === undefined && problem === '' && <p role="status">Checking…</p>}
      {shown !== undefined && <Found details={shown} />}
      <div class="tools">
        {offset > 0 && (
          <button type="button" onClick={() => setOffset(offset - pageSize)}>
            Previous
          </button>
        )}
        {shown !== undefined && Math.max(shown.findings.length, shown.listing.length) === pageSize && (
          <button type="button" onClick={() => setOffset(offset + pageSize)}>
            Further ones
          </button>
        )}
      </div>
    </section>
  );
}

function Found({ details: { head, findings, listing, others } }: { details: Details }) {
  return (
    <>
      <p class="hint">{head}</p>
      {others.length > 0 && <pre tabIndex={0}>{others.join('\n')}</pre>}
      {findings.map((one, index) => (
        <article key={index} class="change" data-state={one.severity} aria-label={`Finding ${index + 1}`}>
          <p class="evidence">
            <StateWord state={one.severity} /> {one.evidence}
          </p>
          <p class="evidence">{one.consequence}</p>
          {one.next !== '' && (
            <>
              <pre tabIndex={0}>{one.next}</pre>
              <CopyButton text={one.next} what={`the next step of finding ${index + 1}`} />
            </>
          )}
        </article>
      ))}
      {listing.length > 0 && (
        <>
          <h3>Listed</h3>
          <pre tabIndex={0}>{listing.join('\n')}</pre>
        </>
      )}
    </>
  );
}
