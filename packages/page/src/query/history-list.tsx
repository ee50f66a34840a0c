import { formatTime } from '../format.ts';
import { type PastQuery, session } from './query-history.ts';

/** What was run on this page, the newest first; a click writes it into the editor. */
export function HistoryList({ choose }: { choose(entry: PastQuery): void }) {
  const { entries } = session;
  if (entries.length === 0) return null;
  return (
    <details class="history">
      <summary>History of this page: {entries.length}</summary>
      <ol>
        {entries.map((entry) => (
          <li key={entry.id}>
            <button type="button" class="past" onClick={() => choose(entry)}>
              <code>{entry.sql.slice(0, 300)}</code>
            </button>
            <span class="hint">
              {formatTime(entry.at)}, {entry.connection}, {entry.outcome}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
