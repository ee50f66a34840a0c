import { useState } from 'preact/hooks';
import { useAction } from '../action.ts';
import { callTool } from '../api.ts';
import type { Statement } from './query-result.ts';

/** Writes all rows of a statement to a file on the server's machine, in the folder that a person named for it. */
export function ExportForm({ statement }: { statement: Statement }) {
  const [file, setFile] = useState('result.csv');
  const [done, setDone] = useState('');
  const { isRunning, problem, start } = useAction();
  const write = async () => {
    setDone('');
    const { text, isError } = await callTool('export_query', { ...statement, file });
    if (isError) throw new Error(text);
    setDone(text);
  };
  return (
    <details class="export">
      <summary>Export all rows to a file</summary>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          start(write);
        }}
      >
        <label>
          File, .csv or .jsonl
          <input value={file} required onInput={(event) => setFile(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={isRunning}>
          {isRunning ? 'Exporting…' : 'Export'}
        </button>
      </form>
      {problem !== '' && <Problem text={problem} />}
      {done !== '' && <p role="status">{done}</p>}
    </details>
  );
}

/** What a tool says of its failure, with the next step on a line of its own. */
export function Problem({ text }: { text: string }) {
  return (
    <pre class="problem" role="alert" tabIndex={0}>
      {text}
    </pre>
  );
}
