import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useNow } from '../clock.ts';
import { formatDuration, formatPlural } from '../format.ts';
import { type ConnectionChoice, readOffer } from './connections.ts';
import { SchemaNames } from './editor/schema-names.ts';
import { SqlEditor } from './editor/sql-editor.tsx';
import { findRules } from './editor/sql-names.ts';
import { ExportForm, Problem } from './export-form.tsx';
import { HistoryList } from './history-list.tsx';
import { session } from './query-history.ts';
import { type QueryResult, runQuery } from './query-result.ts';
import { ResultView } from './result-view.tsx';

type Outcome = { id: number; result: QueryResult } | { problem: string };

/** A statement is written, run as an agent runs it, and its rows are looked at. */
export function QueryPanel() {
  const [offer, setOffer] = useState<Awaited<ReturnType<typeof readOffer>>>();
  const [problem, setProblem] = useState('');
  const [connection, setConnection] = useState(session.connection);
  const [text, setText] = useState(session.text);
  const [given, setGiven] = useState({ text: session.text });
  useEffect(() => {
    readOffer().then(setOffer, (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, []);
  const chosen = offer?.connections.find(({ name }) => name === connection) ?? offer?.connections[0];
  const names = useMemo(
    () => (chosen === undefined ? undefined : new SchemaNames(chosen.name, findRules(chosen.type))),
    [chosen?.name, chosen?.type],
  );
  const { outcome, isRunning, since, run, cancel } = useQuery();
  const write = (sql: string) => {
    session.text = sql;
    setText(sql);
  };
  const choose = (name: string) => {
    session.connection = name;
    setConnection(name);
  };
  if (problem !== '') return <Problem text={problem} />;
  if (offer === undefined) return <p>Loading…</p>;
  if (chosen === undefined) return <Problem text={offer.problem} />;
  const start = (sql: string) => run({ connection: chosen.name, sql });
  return (
    <>
      <div class="tools">
        <ConnectionPicker connections={offer.connections} chosen={chosen} choose={choose} />
        <button type="button" class="approve" disabled={isRunning || text.trim() === ''} onClick={() => start(text)}>
          Run
        </button>
        {isRunning && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <span class="hint">Ctrl+Enter or ⌘+Enter runs all, or what is selected. Only reading statements run here.</span>
      </div>
      <SqlEditor given={given} type={chosen.type} names={names} onChange={write} onRun={start} />
      {isRunning && <Running since={since} />}
      {outcome !== undefined && 'problem' in outcome && <Problem text={outcome.problem} />}
      {outcome !== undefined && 'result' in outcome && (
        <section aria-label="Result of the statement">
          <ResultView key={outcome.id} result={outcome.result} />
          {offer.tools.has('export_query') && <ExportForm statement={outcome.result.statement} />}
        </section>
      )}
      <HistoryList
        choose={({ sql, connection: past }) => {
          setGiven({ text: sql });
          choose(past);
        }}
      />
    </>
  );
}

interface PickerProps {
  connections: readonly ConnectionChoice[];
  chosen: ConnectionChoice;
  choose(name: string): void;
}

function ConnectionPicker({ connections, chosen, choose }: PickerProps) {
  return (
    <label>
      Connection
      <select value={chosen.name} onChange={(event) => choose(event.currentTarget.value)}>
        {connections.map(({ name, type, description }) => (
          <option key={name} value={name}>
            {[name, type, description].filter(Boolean).join(' · ')}
          </option>
        ))}
      </select>
    </label>
  );
}

function Running({ since }: { since: number }) {
  const now = useNow(true);
  return <p role="status">Running, {formatDuration(Math.max(0, now - since))}…</p>;
}

/** Runs one statement at a time. A result that is replaced stops reading. */
function useQuery() {
  const [outcome, setOutcome] = useState<Outcome>();
  const [since, setSince] = useState<number>();
  const [, setChanges] = useState(0);
  const controller = useRef<AbortController>(undefined);
  // Leaving the panel gives up what runs.
  useEffect(() => () => controller.current?.abort(), []);
  const run = (statement: { connection: string; sql: string }) => {
    if (since !== undefined || statement.sql.trim() === '') return;
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const at = Date.now();
    setSince(at);
    setOutcome(undefined);
    const finish = (next: Outcome, summary: string) => {
      session.add({ at, ...statement, outcome: summary });
      setOutcome(next);
      setSince(undefined);
    };
    runQuery(statement, own.signal, () => setChanges((count) => count + 1)).then(
      (result) => {
        const milliseconds = Date.now() - at;
        const { count, isComplete } = result.rows;
        finish(
          { id: at, result },
          `${formatPlural(count, 'row')}${isComplete ? '' : ' or more'}, ${formatDuration(milliseconds)}`,
        );
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        finish(
          { problem: own.signal.aborted ? 'The statement was cancelled.' : message },
          own.signal.aborted ? 'cancelled' : 'failed',
        );
      },
    );
  };
  return { outcome, since: since ?? 0, isRunning: since !== undefined, run, cancel: () => controller.current?.abort() };
}
