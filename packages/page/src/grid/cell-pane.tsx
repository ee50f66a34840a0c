import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useAction } from '../action.ts';
import { JsonTree, parseJson } from './json-tree.tsx';
import { type Cell, showLines } from './parse-table.ts';

/** A part of a cell, from a character on. */
export interface CellPart {
  cell: Cell;
  /** Where to read on; undefined at the end, or where the server keeps no more of it. */
  next: number | undefined;
}

interface CellPaneProps {
  title: string;
  cell: Cell;
  /** Reads the cell again, from a character on. */
  read(offset: number): Promise<CellPart>;
  close(): void;
}

/** One value in full: JSON as a tree, everything else as text. A value that was cut is read on by a person. */
export function CellPane({ title, cell, read, close }: CellPaneProps) {
  const [part, setPart] = useState<CellPart>({ cell, next: cell.mark === '' ? undefined : 0 });
  const { isRunning, problem, start } = useAction();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const readOn = async (offset: number) => {
    const more = await read(offset);
    const before = offset === 0 ? '' : (part.cell.text ?? '');
    setPart({ cell: { text: more.cell.text === null ? null : before + more.cell.text, mark: more.cell.mark }, next: more.next });
  };
  const { text, mark } = part.cell;
  const isWhole = part.next === undefined;
  const json = useMemo(() => (text === null ? undefined : parseJson(showLines(text))), [text]);
  return (
    <section class="details cell-pane" aria-label="Chosen cell" onKeyDown={(event) => event.key === 'Escape' && close()}>
      <p>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {mark !== '' && <p class="hint">{isWhole && part.cell !== cell ? `The last part that was read: ${mark}` : mark}</p>}
      {part.next !== undefined && (
        <p>
          <button type="button" disabled={isRunning} onClick={() => start(() => readOn(part.next ?? 0))}>
            {part.next === 0 ? 'Read it in full' : 'Read on'}
          </button>
        </p>
      )}
      {problem !== '' && <p role="alert">{problem}</p>}
      {text === null && <p class="none">NULL</p>}
      {text === '' && <p class="none">The empty text</p>}
      {json !== undefined && <JsonTree value={json} />}
      {text !== null && text !== '' && json === undefined && <pre tabIndex={0}>{showLines(text)}</pre>}
    </section>
  );
}
