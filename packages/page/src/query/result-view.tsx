import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../action.ts';
import { formatCount, formatPlural } from '../format.ts';
import { CellPane } from '../grid/cell-pane.tsx';
import { type CopyFormat, copyFormats, formatCopy } from '../grid/format-copy.ts';
import { orderSelection, type Place, type Selection } from '../grid/grid-keys.ts';
import { ResultGrid } from '../grid/result-grid.tsx';
import { type QueryResult, readCell } from './query-result.ts';

/** More than a person pastes; an export has no limit. */
const maxCopied = 10_000;
const start = { row: 0, column: 0 };

interface Copied {
  text: string;
  isInClipboard: boolean;
  what: string;
}

function CopyOutcome({ text, isInClipboard, what }: Copied) {
  if (isInClipboard) return <p role="status">Copied {what}.</p>;
  return (
    <label>
      The browser gives no clipboard to this address: copy {what} from here
      <textarea readOnly rows={6} value={text} />
    </label>
  );
}

/** The rows of a statement, what can be done with them, and the chosen cell beside them. */
export function ResultView({ result }: { result: QueryResult }) {
  const { columns, layout, rows } = result;
  const [selection, setSelection] = useState<Selection>({ anchor: start, active: start });
  const [opened, setOpened] = useState<Place>();
  const [copied, setCopied] = useState<Copied>();
  const place = useRef<HTMLDivElement>(null);
  const action = useAction();
  useEffect(() => () => rows.close(), [rows]);
  const copy = (format: CopyFormat) =>
    action.start(async () => {
      const table = await collectSelection(result, selection);
      const text = formatCopy(table, format);
      setCopied({
        text,
        isInClipboard: await writeClipboard(text),
        what: `${formatPlural(table.rows.length, 'row')} as ${format}`,
      });
    });
  const close = () => {
    setOpened(undefined);
    place.current?.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  const cell = opened === undefined ? undefined : rows.row(opened.row)?.[opened.column];
  return (
    <>
      <p class="hint" role="status">
        {describe(result)}
      </p>
      {rows.problem !== '' && (
        <p role="alert">
          {rows.problem}{' '}
          <button type="button" onClick={() => rows.retry()}>
            Read on
          </button>
        </p>
      )}
      {rows.count > 0 && (
        <div class="split" data-open={cell !== undefined}>
          <div ref={place}>
            <ResultGrid
              {...{ columns, layout, rows, selection, setSelection }}
              open={() => setOpened(selection.active)}
              copy={() => copy('CSV')}
            />
            <div class="tools">
              <button type="button" onClick={() => setOpened(selection.active)}>
                Show cell
              </button>
              {copyFormats.map((format) => (
                <button key={format} type="button" disabled={action.isRunning} onClick={() => copy(format)}>
                  Copy as {format}
                </button>
              ))}
            </div>
            {action.problem !== '' && <p role="alert">{action.problem}</p>}
            {copied !== undefined && <CopyOutcome {...copied} />}
          </div>
          {opened !== undefined && cell !== undefined && (
            <CellPane
              key={`${opened.row}/${opened.column}`}
              title={`${columns[opened.column]}, row ${formatCount(opened.row + 1)}`}
              cell={cell}
              read={(offset) => readCell(result.statement, opened, offset)}
              close={close}
            />
          )}
        </div>
      )}
      {rows.count === 0 && columns.length > 0 && <p>Columns: {columns.join(', ')}</p>}
    </>
  );
}

function describe({ rows, columns, totalColumns, notes }: QueryResult): string {
  const more = rows.isComplete ? '' : rows.isFull ? ', and more that are not shown: export them' : ' so far; scroll for more';
  const wide = columns.length < totalColumns ? ` The first ${columns.length} of ${formatCount(totalColumns)} columns.` : '';
  return [`${formatPlural(rows.count, 'row')}${more}, ${formatPlural(totalColumns, 'column')}.${wide}`, ...notes].join(' ');
}

async function collectSelection({ columns, rows }: QueryResult, selection: Selection) {
  const { from, to } = orderSelection(selection);
  const count = to.row - from.row + 1;
  if (count > maxCopied)
    throw new Error(`Select at most ${formatCount(maxCopied)} rows to copy, or export all: ${formatCount(count)} are selected.`);
  const cut = <T,>(all: readonly T[]) => all.slice(from.column, to.column + 1);
  return { columns: cut(columns), rows: (await rows.collect(from.row, to.row)).map(cut) };
}

/** Browsers have a clipboard for safe addresses only. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
