import { useState } from 'preact/hooks';
import { useAction } from '../action.ts';
import { callTool } from '../api.ts';
import { type ShownConnection, useConnections } from '../connection-list.ts';
import { linkTo, type PanelProps } from '../panel.ts';
import { ClientSnippets } from './client-snippets.tsx';

/** What agents can reach, with its state and its policy, and how to give it to a client. */
export function ConnectionsPanel({ server }: PanelProps<unknown>) {
  const { list, failure, refresh } = useConnections();
  if (failure !== '') return <p role="alert">{failure}</p>;
  if (list === undefined) return <p>Loading…</p>;
  return (
    <>
      {list.problems.map((problem) => (
        <p key={problem} role="alert">
          {problem}
        </p>
      ))}
      {list.connections.length === 0 && (
        <p>
          No connections are configured. Add one with <code>{server.name} connections add</code>.
        </p>
      )}
      <section aria-label="Configured connections">
        {list.connections.map((one) => (
          <Connection key={one.name} connection={one} hasHealth={server.parts.includes('health')} onTested={refresh} />
        ))}
      </section>
      <ClientSnippets />
    </>
  );
}

interface ConnectionProps {
  connection: ShownConnection;
  hasHealth: boolean;
  onTested(): void;
}

function Connection({ connection: { name, facts }, hasHealth, onTested }: ConnectionProps) {
  const [answer, setAnswer] = useState<{ text: string; isError: boolean }>();
  const { isRunning, problem, start } = useAction();
  const test = async () => {
    setAnswer(await callTool('test_connection', { name }));
    onTested();
  };
  return (
    <article class="connection-card" aria-label={name}>
      <h2>{name}</h2>
      <dl>
        {facts.map((fact) => (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd>{fact.text}</dd>
          </div>
        ))}
      </dl>
      <div class="tools">
        <button type="button" disabled={isRunning} onClick={() => start(test)}>
          {isRunning ? 'Testing…' : 'Test'}
          <span class="hidden"> {name}</span>
        </button>
        {hasHealth && (
          <a href={linkTo('health', name)}>
            Health<span class="hidden"> of {name}</span>
          </a>
        )}
      </div>
      {problem !== '' && <p role="alert">{problem}</p>}
      {answer !== undefined && (
        <div role={answer.isError ? 'alert' : 'status'}>
          <pre tabIndex={0}>{answer.text}</pre>
        </div>
      )}
    </article>
  );
}
