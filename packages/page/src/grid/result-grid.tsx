import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ColumnLayout, findColumns } from './column-layout.ts';
import { movePlace, orderSelection, type Place, type Selection } from './grid-keys.ts';
import type { Cell } from './parse-table.ts';
import type { RowWindow } from './row-window.ts';

interface GridProps {
  columns: readonly string[];
  layout: ColumnLayout;
  rows: RowWindow;
  selection: Selection;
  setSelection(selection: Selection): void;
  /** Shows the active cell in full. */
  open(): void;
  copy(): void;
}

interface View {
  top: number;
  left: number;
  width: number;
  height: number;
}

const rowHeight = 28;
/** Rows above and below the visible ones, so that a slow frame shows no gap. */
const spare = 6;
const numberWidth = 64;
const smallNumberWidth = 44;

/** A result of any size: only the rows and columns that are visible are elements. */
export function ResultGrid(props: GridProps) {
  const { columns, layout, rows, selection, setSelection } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>({ top: 0, left: 0, width: 1_000, height: 400 });
  const gutter = view.width < 500 ? smallNumberWidth : numberWidth;
  const [firstRow, lastRow] = findRows(view, rows.count);
  const [firstColumn, lastColumn] = findColumns(layout, view.left, view.left + view.width - gutter);
  useView(box, setView);
  useEffect(() => rows.want(firstRow, lastRow), [rows, firstRow, lastRow]);
  useLayoutEffect(() => {
    if (box.current !== null) scrollTo(box.current, selection.active, { layout, gutter });
  }, [selection, layout, gutter]);
  const { from, to } = orderSelection(selection);
  const width = gutter + (layout.starts.at(-1) ?? 0);
  const isActiveShown =
    isBetween(selection.active.row, firstRow, lastRow) && isBetween(selection.active.column, firstColumn, lastColumn);
  const choose = (place: Place, isMore: boolean) => setSelection({ anchor: isMore ? selection.anchor : place, active: place });
  const shownColumns = range(firstColumn, lastColumn);
  const { active } = selection;
  const parts = { ...props, shownColumns, gutter, width, choose, from, to, active };
  return (
    <div
      ref={box}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label="Result"
      aria-multiselectable="true"
      aria-rowcount={rows.isComplete ? rows.count + 1 : -1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={isActiveShown ? 'active-cell' : undefined}
      onKeyDown={(event) => pressKey(event, props, Math.max(1, Math.floor(view.height / rowHeight) - 2))}
    >
      <div class="grid-size" role="presentation" style={{ width: `${width}px`, height: `${(rows.count + 1) * rowHeight}px` }}>
        <Head {...parts} />
        {range(firstRow, lastRow).map((row) => (
          <GridRow key={row} row={row} {...parts} />
        ))}
      </div>
    </div>
  );
}

interface Parts extends Pick<GridProps, 'columns' | 'layout' | 'rows' | 'open'> {
  shownColumns: readonly number[];
  /** The width of the numbers of the rows. */
  gutter: number;
  width: number;
  from: Place;
  to: Place;
  active: Place;
  choose(place: Place, isMore: boolean): void;
}

function Head({ columns, layout, shownColumns, gutter, width }: Parts) {
  return (
    <div class="grid-head" role="row" aria-rowindex={1} style={{ width: `${width}px` }}>
      <div class="cell row-number" role="columnheader" aria-colindex={1} style={{ width: `${gutter}px` }}>
        <span class="hidden">Row</span>
      </div>
      {shownColumns.map((column) => (
        <div
          key={column}
          class={layout.numbers.has(column) ? 'cell number' : 'cell'}
          role="columnheader"
          aria-colindex={column + 2}
          style={placeColumn(layout, column, gutter)}
          title={columns[column]}
        >
          {columns[column]}
        </div>
      ))}
    </div>
  );
}

function GridRow({ row, ...parts }: Parts & { row: number }) {
  const { shownColumns, gutter, width } = parts;
  return (
    <div class="grid-row" role="row" aria-rowindex={row + 2} style={{ top: `${(row + 1) * rowHeight}px`, width: `${width}px` }}>
      <div class="cell row-number" role="rowheader" aria-colindex={1} style={{ width: `${gutter}px` }}>
        {row + 1}
      </div>
      {shownColumns.map((column) => (
        <GridCell key={column} row={row} column={column} {...parts} />
      ))}
    </div>
  );
}

function GridCell({ row, column, layout, rows, gutter, from, to, active, choose, open }: Parts & Place) {
  const isChosen = isBetween(row, from.row, to.row) && isBetween(column, from.column, to.column);
  const isActive = row === active.row && column === active.column;
  const cells = rows.row(row);
  return (
    <div
      id={isActive ? 'active-cell' : undefined}
      role="gridcell"
      aria-colindex={column + 2}
      aria-selected={isChosen}
      class={layout.numbers.has(column) ? 'cell number' : 'cell'}
      data-active={isActive}
      style={placeColumn(layout, column, gutter)}
      onMouseDown={(event) => event.button === 0 && choose({ row, column }, event.shiftKey)}
      onMouseEnter={(event) => event.buttons === 1 && choose({ row, column }, true)}
      onDblClick={open}
    >
      <CellText cell={cells?.[column]} isRead={cells !== undefined} />
    </div>
  );
}

/** A value as a text node. NULL is marked as none, and so is an empty text. */
function CellText({ cell, isRead }: { cell: Cell | undefined; isRead: boolean }) {
  if (cell === undefined) return <span class="none">{isRead ? 'not shown' : '…'}</span>;
  if (cell.text === null) return <span class="none">NULL</span>;
  if (cell.text === '' && cell.mark === '') return <span class="none">empty</span>;
  return (
    <>
      {cell.text}
      {cell.mark !== '' && <span class="none">{cell.mark}</span>}
    </>
  );
}

function useView(box: { current: HTMLDivElement | null }, setView: (view: View) => void): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const update = () =>
      setView({ top: element.scrollTop, left: element.scrollLeft, width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    update();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [box, setView]);
}

function findRows({ top, height }: View, count: number): [first: number, last: number] {
  const first = Math.floor(top / rowHeight) - spare;
  const last = Math.ceil((top + height) / rowHeight) + spare;
  return [Math.max(0, Math.min(first, count - 1)), Math.min(count - 1, last)];
}

function scrollTo(
  box: HTMLDivElement,
  { row, column }: Place,
  { layout, gutter }: { layout: ColumnLayout; gutter: number },
): void {
  const top = row * rowHeight;
  // The head covers one row.
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + 2 * rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + 2 * rowHeight - box.clientHeight;
  const [left = 0, right = 0] = layout.starts.slice(column, column + 2);
  if (left < box.scrollLeft) box.scrollLeft = left;
  else if (right + gutter > box.scrollLeft + box.clientWidth) {
    box.scrollLeft = Math.min(left, right + gutter - box.clientWidth);
  }
}

function pressKey(event: KeyboardEvent, { columns, rows, selection, setSelection, open, copy }: GridProps, page: number): void {
  const isControl = event.ctrlKey || event.metaKey;
  const size = { rows: rows.count, columns: columns.length, page };
  const place = movePlace(selection.active, { key: event.key, isControl }, size);
  if (place !== undefined) setSelection({ anchor: event.shiftKey ? selection.anchor : place, active: place });
  else if (isControl && event.key === 'a') {
    setSelection({ anchor: { row: size.rows - 1, column: size.columns - 1 }, active: { row: 0, column: 0 } });
  } else if (isControl && event.key === 'c') copy();
  else if (event.key === 'Enter') open();
  else return;
  event.preventDefault();
}

function placeColumn({ starts }: ColumnLayout, column: number, gutter: number) {
  const [start = 0, end = 0] = starts.slice(column, column + 2);
  return { left: `${gutter + start}px`, width: `${end - start}px` };
}

function isBetween(value: number, from: number, to: number): boolean {
  return value >= from && value <= to;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
