import type { JsonObject } from '../../../json-object.ts';
import type { RowCount } from '../../../plan/plan-tree.ts';

/** Steps whose estimate is a constant, or is made of one. */
const guesses = new Set(['Function Scan', 'Table Function Scan', 'ProjectSet', 'Recursive Union', 'WorkTable Scan', 'CTE Scan']);
/** They count nothing, or pages, or the rows of their input again each time. */
const uncounted = new Set(['Bitmap Index Scan', 'BitmapAnd', 'BitmapOr', 'Materialize', 'Memoize']);
/** They read all of their input before they give their first row. */
const blocking = new Set(['Sort', 'Hash', 'Bitmap Heap Scan']);
const blockingStrategies = new Set(['Plain', 'Hashed']);

export function countRows(json: JsonObject, above: RowCount): RowCount {
  const type = json.text('Node Type') ?? '';
  if (guesses.has(type)) return 'guess';
  return uncounted.has(type) ? 'unknown' : above;
}

interface Input {
  json: JsonObject;
  isInner: boolean;
  /** What is known of the step itself. */
  above: RowCount;
}

/** Steps that may end before one of their inputs has. */
const early: Readonly<Record<string, (input: Input) => boolean>> = {
  Limit: ({ json, above }) => above !== 'complete' || !hasFewerThanLimit(json),
  // The side that ends first stops the other one.
  'Merge Join': () => true,
  'Hash Join': ({ json, isInner }) => !isInner && hasEmptyHash(json),
  'Nested Loop': ({ json, isInner }) => isInner && stopsAtFirst(json),
  WindowAgg: ({ json }) => json.has('Run Condition'),
};

/** Whether this input of a step was read to its end, as far as the plan tells. */
export function countInput(json: JsonObject, child: JsonObject, above: RowCount): RowCount {
  const relationship = child.text('Parent Relationship');
  // A subquery may be an EXISTS, and a CTE is read only as far as needed.
  if (relationship === 'SubPlan' || relationship === 'InitPlan') return 'partial';
  if (isBlocking(json)) return 'complete';
  const isInner = relationship === 'Inner';
  const type = json.text('Node Type') ?? '';
  // For equal keys it is read again, which counts twice.
  if (type === 'Merge Join' && isInner) return 'unknown';
  return above === 'unknown' || early[type]?.({ json, isInner, above }) === true ? 'partial' : above;
}

function isBlocking(json: JsonObject): boolean {
  const type = json.text('Node Type') ?? '';
  return blocking.has(type) || (type === 'Aggregate' && blockingStrategies.has(json.text('Strategy') ?? ''));
}

/** The estimate of a LIMIT is its number, or that of its input where this is smaller. A limit out of a subquery is a guess. */
function hasFewerThanLimit(json: JsonObject): boolean {
  const [expected = 0, actual = 0] = [json.number('Plan Rows'), json.number('Actual Rows')];
  return json.objects('Plans').length === 1 && json.number('Actual Loops') === 1 && actual < expected;
}

/** An empty hash table ends the join before the other side is read. */
function hasEmptyHash(json: JsonObject): boolean {
  const inner = json.objects('Plans').find((child) => child.text('Parent Relationship') === 'Inner');
  // One that was never filled means that the other side had no rows.
  return inner?.number('Actual Rows') === 0 && inner.number('Actual Loops') !== 0;
}

function stopsAtFirst(json: JsonObject): boolean {
  const type = json.text('Join Type') ?? '';
  return type.endsWith('Semi') || type.endsWith('Anti') || json.value['Inner Unique'] === true;
}
