import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useNotification } from './notification.tsx';
import { linkTo, type Panel, type PanelProps, type ServerInfo } from './panel.ts';
import { panels } from './panels.ts';
import { useRoute } from './route.ts';
import type { PageState, PageStore } from './store.ts';

const connections = { connecting: 'connecting…', open: 'connected', lost: 'connection lost, trying again…', out: 'signed out' };

/** The frame of the page: its head, the navigation, and the panel of the address. */
export function App({ store }: { store: PageStore }) {
  const [state, setState] = useState(store.state);
  useEffect(() => store.watch(() => setState(store.state)), [store]);
  const { server, connection } = state;
  const [id = '', ...path] = useRoute();
  const shown = panels.filter((one) => server?.parts.includes(one.id));
  const current = shown.find((one) => one.id === id) ?? shown[0];
  const waiting = shown.reduce((sum, one) => sum + countWaiting(one, state), 0);
  useTitle(server, waiting);
  const notification = useNotification(waiting);
  if (connection === 'out') return <SignedOut problem={state.problem} />;
  return (
    <>
      <header class="top">
        <p class="brand">
          <strong>{server?.name ?? 'mole'}</strong> <span class="root">{server?.root}</span>
        </p>
        <p class="connection" data-state={connection} role="status">
          {connections[connection]}
        </p>
        {notification}
        {server !== undefined && (
          <button type="button" class="quiet" onClick={() => void store.leave()}>
            Sign out
          </button>
        )}
      </header>
      {state.isRestarted && (
        <p class="notice" role="status">
          The server was started again. What it showed before is gone.{' '}
          <button type="button" onClick={() => store.dismissRestart()}>
            Dismiss
          </button>
        </p>
      )}
      <Navigation shown={shown} current={current} state={state} />
      <main>
        {server !== undefined && current !== undefined && (
          <Shown
            key={current.id}
            panel={current}
            server={server}
            state={state.parts[current.id]}
            path={current.id === id ? path : []}
          />
        )}
      </main>
    </>
  );
}

function countWaiting(panel: Panel, { parts }: PageState): number {
  return panel.countWaiting?.(parts[panel.id]) ?? 0;
}

function Navigation({ shown, current, state }: { shown: readonly Panel[]; current: Panel | undefined; state: PageState }) {
  return (
    <nav aria-label="Panels">
      <ul>
        {shown.map((panel) => {
          const count = countWaiting(panel, state);
          return (
            <li key={panel.id}>
              <a href={linkTo(panel.id)} aria-current={panel === current ? 'page' : undefined}>
                {panel.title}
                {count > 0 && (
                  <span class="badge">
                    {count}
                    <span class="hidden"> waiting</span>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

type Loaded = { View: ComponentType<PanelProps<unknown>> } | { problem: string };

/** Loads the chunk of a panel, and shows it. */
function Shown({ panel, ...props }: PanelProps<unknown> & { panel: Panel }) {
  const [loaded, setLoaded] = useState<Loaded>();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    panel.load().then(
      (View) => setLoaded({ View }),
      () => setLoaded({ problem: 'This panel could not be loaded. The server may have been updated: reload the page.' }),
    );
    heading.current?.focus();
  }, [panel]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {panel.title}
      </h1>
      {loaded === undefined && <p>Loading…</p>}
      {loaded !== undefined && 'problem' in loaded && <p role="alert">{loaded.problem}</p>}
      {loaded !== undefined && 'View' in loaded && <loaded.View {...props} />}
    </>
  );
}

/** The title says how much waits, also while another tab is in front. */
function useTitle(server: ServerInfo | undefined, waiting: number): void {
  useEffect(() => {
    const folder = server?.root.split(/[\\/]/).at(-1);
    const name = server === undefined ? 'mole' : `${server.name} · ${folder}`;
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
  }, [server, waiting]);
}

function SignedOut({ problem }: { problem: string }) {
  return (
    <main class="out">
      <h1>Signed out</h1>
      {problem !== '' && <p role="alert">The link was not accepted: {problem}.</p>}
      <p>
        Run <code>dbmole-mcp open</code> or <code>esmole-mcp open</code> in the folder of the project, and open the link that it
        prints. A link works once.
      </p>
    </main>
  );
}
