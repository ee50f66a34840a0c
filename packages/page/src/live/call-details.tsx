import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.ts';
import { run } from '../api.ts';
import { formatDuration, formatPlural, formatTime } from '../format.ts';
import { linkTo } from '../panel.ts';
import type { LiveCall } from './live-state.ts';

interface Details extends LiveCall {
  isPartial: boolean;
  args: readonly { name: string; text: string }[];
  answer?: string;
  audit: readonly Readonly<Record<string, unknown>>[];
}

/** One call: what was asked, what was answered, and what the audit log has of it. */
export function CallDetails({ id, call }: { id: string; call: LiveCall | undefined }) {
  const [details, setDetails] = useState<Details | null>();
  const [problem, setProblem] = useState('');
  const state = call?.state;
  useEffect(() => {
    const controller = new AbortController();
    run<{ call: Details | null }>('live', 'show', { id }, controller.signal).then(
      (answer) => setDetails(answer.call),
      (error: unknown) => controller.signal.aborted || setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => controller.abort();
    // A call that ends has more to show.
  }, [id, state]);
  return (
    <section class="details" aria-label="Chosen call">
      <p>
        <a href={linkTo('live')}>Close</a>
      </p>
      {problem !== '' && <p role="alert">{problem}</p>}
      {details === null && <p>This call is no longer kept.</p>}
      {details && <Shown call={{ ...details, ...call }} />}
    </section>
  );
}

function Shown({ call }: { call: Details }) {
  const { id, at, state, client, door, principal, connection, tool, code, rows, changed, bytes, milliseconds, confirmedBy } =
    call;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['State', code === undefined ? state : `${state}, ${code}`],
    ['Began', formatTime(at)],
    ['Took', milliseconds === undefined ? undefined : formatDuration(milliseconds)],
    ['Client', [client, door, principal].filter(Boolean).join(', ')],
    ['Connection', connection],
    ['Rows', rows === undefined ? undefined : formatPlural(rows, 'row')],
    ['Changed', changed === undefined ? undefined : formatPlural(changed, 'row')],
    ['Answer', bytes === undefined ? undefined : formatPlural(bytes, 'byte')],
    ['Confirmed', confirmedBy],
  ];
  return (
    <>
      <h2>{tool}</h2>
      {state === 'running' && <Cancel id={id} />}
      <dl>
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {call.isPartial && <p>What was asked and answered was too large to be kept.</p>}
      {call.args.map(({ name, text }) => (
        <Text key={name} title={name} text={text} />
      ))}
      {call.answer !== undefined && <Text title="Answer, as the client got it" text={call.answer} />}
      {call.audit.length > 0 && (
        <Text title="Audit record" text={call.audit.map((line) => JSON.stringify(line, undefined, 2)).join('\n')} />
      )}
    </>
  );
}

function Cancel({ id }: { id: string }) {
  const { isRunning, problem, start } = useAction();
  const cancel = async () => {
    const { isCancelled } = await run<{ isCancelled: boolean }>('live', 'cancel', { id });
    if (!isCancelled) throw new Error('The call has ended already.');
  };
  return (
    <p>
      <button type="button" disabled={isRunning} onClick={() => start(cancel)}>
        Cancel this call
      </button>
      {problem !== '' && <span role="alert"> {problem}</span>}
    </p>
  );
}

/** A text from outside; always a text node. */
function Text({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h3>{title}</h3>
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}
