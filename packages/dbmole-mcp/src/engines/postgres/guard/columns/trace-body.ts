import { refuseColumn, refuseStrict } from '../../../../policy/column-policy.ts';
import { positionAt } from '../tree/position.ts';
import type { CodeReads } from './catalog/code-reads.ts';
import type { FunctionShapes } from './catalog/function-shapes.ts';
import type { RelationFacts } from './catalog/relation-facts.ts';
import type { Relations } from './catalog/relations.ts';
import { getViewQuery } from './catalog/views.ts';
import { type Element, type Environment, nowhere, type Rows } from './environment.ts';
import { readPlace, traceExpression } from './trace-expression.ts';
import { traceQuery } from './trace-query.ts';
import { type Tracer, Untraceable } from './tracer.ts';
import { findAction, isClean, merge, type NamedValue, unknown, type Value } from './value.ts';

/** All that is known before a statement is followed. */
export interface TraceContext {
  readonly relations: Relations;
  readonly shapes: FunctionShapes;
  readonly code: CodeReads;
  readonly isStrict: boolean;
  /** The caller's text. */
  readonly sql: string;
  /** It is EXPLAIN ANALYZE, whose plan shows how many rows each step had. */
  readonly isMeasured?: boolean;
}

const maxSteps = 1_000_000;
const maxDepth = 200;

/** Follows the caller's statement; what it reads of views is followed through their queries. */
export function createTracer(context: TraceContext, change?: Tracer['change']): Tracer {
  return new BodyTracer(context, { views: new ViewColumns(context), isOwn: true, change });
}

interface BodyOptions {
  views: ViewColumns;
  isOwn: boolean;
  change: Tracer['change'];
}

class BodyTracer implements Tracer {
  readonly #context: TraceContext;
  readonly #views: ViewColumns;
  /** It is the caller's text, and not the query of a view, which its owner has allowed. */
  readonly #isOwn: boolean;
  readonly change: Tracer['change'];

  constructor(context: TraceContext, { views, isOwn, change }: BodyOptions) {
    this.#context = context;
    this.#views = views;
    this.#isOwn = isOwn;
    this.change = change;
  }

  query(select: unknown, outer: Environment): Rows {
    const rows = traceQuery(this, select, outer);
    const [source] = (this.#context.isMeasured === true && rows.rowCount?.sources) || [];
    if (source === undefined) return rows;
    throw refuseColumn(`the plan shows a number of rows that the protected column ${source.label} decides; nothing was run`);
  }

  value(node: unknown, environment: Environment): Value {
    return traceExpression(this, node, environment);
  }

  compare(node: unknown, environment: Environment): void {
    if (this.#isOwn && node !== undefined) this.compareValues([this.value(node, environment)]);
  }

  compareValues(values: readonly Value[]): void {
    if (!this.#isOwn || !this.#context.isStrict) return;
    const found = values.find((value) => !isClean(value));
    if (found === undefined) return;
    const [source] = found.sources;
    const what = source === undefined ? 'what cannot be traced' : `the protected column ${source.label}`;
    throw refuseStrict(`the statement compares, sorts or groups by ${what}`);
  }

  use(value: Value, location: unknown): void {
    if (!this.#isOwn || value.row !== undefined || findAction(value) !== 'refuse') return;
    throw refuseSource(value, positionAt(this.#context.sql, readPlace(location)));
  }

  mayStore(name: string): boolean {
    return this.change !== undefined && this.#context.shapes.get(name)?.isVolatile === true;
  }

  send(value: Value, name: string): void {
    if (!isClean(value)) throw refuseColumn(`${name}() would show protected columns elsewhere; nothing was run`);
  }

  relation(schema: string | undefined, name: string): Element {
    const facts = this.#context.relations.find({ schema, name });
    if (facts === undefined) return { items: [{ name, schema, columns: [], others: unknown }], columns: [], others: unknown };
    const columns = this.#views.read(facts);
    return { items: [{ name, schema: facts.schema, columns, isRelation: true }], columns };
  }

  shape(name: string) {
    return this.#context.shapes.get(name)?.shape;
  }

  isBuiltin(name: string): boolean {
    return this.#context.shapes.get(name)?.isBuiltin === true;
  }

  isAggregate(name: string): boolean {
    return this.#context.shapes.get(name)?.isAggregate === true;
  }

  returnsSet(name: string): boolean {
    return this.#context.shapes.get(name)?.returnsSet === true;
  }

  readsProtected(name: string): boolean {
    return this.#context.code.names.has(name);
  }

  get isEverywhere(): boolean {
    return this.#context.code.isEverywhere;
  }

  step(): void {
    this.#views.step();
  }
}

/** Throws for a column that must not be used at all. */
export function refuseSource({ sources }: Value, position?: number) {
  const source = sources.find(({ action }) => action === 'refuse');
  return refuseColumn(`the column ${source?.label ?? ''} must not be read through this connection; nothing was run`, position);
}

/** The columns of tables, and those of views by their queries. */
export class ViewColumns {
  readonly #context: TraceContext;
  readonly #known = new Map<RelationFacts, readonly NamedValue[]>();
  #steps = 0;
  #depth = 0;

  constructor(context: TraceContext) {
    this.#context = context;
  }

  read(facts: RelationFacts): readonly NamedValue[] {
    const known = this.#known.get(facts);
    if (known !== undefined) return known;
    const own = this.#context.relations.getColumns(facts);
    if (facts.definition === null) return own;
    // Until it is known: a view cannot read itself.
    this.#known.set(
      facts,
      own.map(({ name }) => ({ name, value: unknown })),
    );
    const rows = this.#trace(facts);
    const columns = own.map(({ name, value }, i) => ({ name, value: merge([value, rows?.columns[i]?.value ?? unknown]) }));
    this.#known.set(facts, columns);
    return columns;
  }

  #trace(facts: RelationFacts): Rows | undefined {
    const query = getViewQuery(facts);
    if (query === null || this.#depth > maxDepth) return undefined;
    this.#depth += 1;
    try {
      const rows = new BodyTracer(this.#context, { views: this, isOwn: false, change: undefined }).query(query.tree, nowhere);
      return rows.others === undefined && rows.columns.length === facts.columns.length ? rows : undefined;
    } finally {
      this.#depth -= 1;
    }
  }

  step(): void {
    this.#steps += 1;
    if (this.#steps > maxSteps) throw new Untraceable();
  }
}
