import { useEffect, useState } from 'preact/hooks';
import { run } from '../api.ts';
import { CopyButton } from '../copy-button.tsx';

interface ClientSnippet {
  id: string;
  title: string;
  command: string;
  /** Empty where the client has none. */
  projectFile: string;
  text: string;
  advice: string;
}

/** What to write into the configuration of a client. The token is never in it: the client refers to a variable, or asks for it. */
export function ClientSnippets() {
  const [snippets, setSnippets] = useState<readonly ClientSnippet[]>([]);
  const [chosen, setChosen] = useState('');
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const controller = new AbortController();
    // MCP is beside the page, also behind a proxy that has both below a path.
    const url = new URL('../mcp', location.href).href;
    run<{ snippets: readonly ClientSnippet[] }>('connections', 'snippets', { url }, controller.signal).then(
      (answer) => setSnippets(answer.snippets),
      (error: unknown) => controller.signal.aborted || setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => controller.abort();
  }, []);
  const shown = snippets.find(({ id }) => id === chosen) ?? snippets[0];
  return (
    <section aria-label="Clients">
      <h2>Connect a client to this server</h2>
      {problem !== '' && <p role="alert">{problem}</p>}
      {shown !== undefined && (
        <>
          <div class="tools">
            <label>
              Client
              <select value={shown.id} onChange={(event) => setChosen(event.currentTarget.value)}>
                {snippets.map(({ id, title }) => (
                  <option key={id} value={id}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <p>
            Run this in a terminal: <code>{shown.command}</code> <CopyButton text={shown.command} what="the command" />
          </p>
          <p>
            Or write it yourself into the configuration of {shown.title}
            {shown.projectFile !== '' && (
              <>
                , or into <code>{shown.projectFile}</code> of a project
              </>
            )}
            :
          </p>
          <pre tabIndex={0}>{shown.text}</pre>
          <CopyButton text={shown.text} what="the configuration" />
          <p class="hint">{shown.advice}</p>
        </>
      )}
    </section>
  );
}
