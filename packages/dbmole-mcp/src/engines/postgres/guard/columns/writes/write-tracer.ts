import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { refuseColumn } from '../../../../../policy/column-policy.ts';
import { findFunctionDenial } from '../../denials.ts';
import { collectNames } from '../../tree/collect.ts';
import type { StatementNames } from '../../tree/names.ts';
import { asFields, type Fields, UnreadableNode } from '../../tree/walk.ts';
import type { RelationName } from '../catalog/relation-facts.ts';
import { nowhere, type Rows } from '../environment.ts';
import { createTracer, type TraceContext } from '../trace-body.ts';
import { hasEffect } from '../trace-expression.ts';
import { Untraceable } from '../tracer.ts';
import { clean, findAction, isClean, isStricter, type NamedValue, type Value } from '../value.ts';
import { type Definition, readDefinition } from './definitions.ts';
import { traceChange } from './trace-write.ts';

/** A statement of `execute`, before the catalog was asked. */
export interface ParsedWrite {
  /** The part that changes or gives rows; undefined for a definition that does neither. */
  readonly body: unknown;
  /** Undefined without a body. */
  readonly names: StatementNames | undefined;
  readonly definition: Definition | undefined;
  /** The table that a query is stored in. */
  readonly into: RelationName | undefined;
  readonly isExplain: boolean;
}

const changes = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']);

/** Throws for a statement whose effect cannot be told. */
export function parseWrite(statement: unknown, sql: string): ParsedWrite {
  const [kind = ''] = Object.keys(asFields(statement));
  const { ExplainStmt: explained, CreateTableAsStmt: creating } = asFields(statement);
  if (explained !== undefined) return { ...parseWrite(asFields(explained).query, sql), isExplain: true };
  if (creating !== undefined && asFields(creating).objtype === 'OBJECT_TABLE') {
    const { query, into } = asFields(creating);
    return { ...parseBody(query, sql), into: readRelation(asFields(asFields(into).rel)) };
  }
  if (changes.has(kind)) return parseBody(statement, sql);
  const definition = readDefinition(statement);
  if (definition === undefined) throw refuseWrite();
  return { body: undefined, names: undefined, definition, into: undefined, isExplain: false };
}

function parseBody(body: unknown, sql: string): ParsedWrite {
  const [kind = ''] = Object.keys(asFields(body));
  if (!changes.has(kind)) throw refuseWrite();
  const names = readNames(body, sql);
  const call = names.functions.find(
    ({ schema, name }) => findFunctionDenial(schema, name) !== undefined && !slow.test(name) && !hasEffect(name),
  );
  if (call !== undefined) throw refuseWrite(`${call.name}()`, names.positionOf(call));
  return { body, names, definition: undefined, into: undefined, isExplain: false };
}

function readNames(body: unknown, sql: string): StatementNames {
  try {
    return collectNames(body, sql, { parameters: new Set() });
  } catch (error) {
    throw error instanceof UnreadableNode ? refuseWrite() : error;
  }
}

/** They take long, but neither read nor change anything by themselves. */
const slow = /^(?:xpath\w*|xmltable|xmlexists)$/;

export function refuseWrite(what = 'the statement', position?: number) {
  return refuseColumn(`the effect of ${what} on protected columns cannot be told; nothing was run`, position);
}

export function readRelation({ schemaname, relname }: Fields): RelationName {
  return { schema: typeof schemaname === 'string' ? schemaname : undefined, name: String(relname) };
}

/** What the statement returns. Throws where it copies protected values to a column that is shown. */
export function traceWriteRows({ body, into, isExplain }: ParsedWrite, context: TraceContext): Rows {
  const tracer = createTracer(context, (change, outer) => traceChange(tracer, { statement: change, outer }, assign));
  try {
    const isQuery = asFields(body).SelectStmt !== undefined;
    const rows = isQuery ? tracer.query(body, nowhere) : traceChange(tracer, { statement: body, outer: nowhere }, assign);
    if (into === undefined) return isExplain ? { columns: [] } : rows;
    checkStored(rows, into, context);
    return { columns: [] };
  } catch (error) {
    throw error instanceof Untraceable || error instanceof RangeError ? refuseWrite() : error;
  }
}

/** The rules hold for the columns of the new table as well, by their names. */
function checkStored({ columns, others }: Rows, into: RelationName, { relations }: TraceContext): void {
  if (others !== undefined && !isClean(others)) throw refuseWrite('a column');
  for (const { name, value } of columns) {
    if (isClean(value)) continue;
    assign(
      { name, value: name === undefined ? value : relations.judgeNew(into, name) },
      name === undefined ? { ...value, isUnknown: true } : value,
    );
  }
}

function assign({ name = 'a column', value: column }: NamedValue, given: Value): void {
  if (isClean(given)) return;
  if (given.isUnknown) throw refuseColumn(`the source of what is written to ${name} cannot be told; nothing was run`);
  const [source] = given.sources;
  const action = findAction(column);
  const isCovered = action !== undefined && given.sources.every((one) => !isStricter(one.action, action));
  if (!isCovered)
    throw refuseColumn(
      `the statement copies the protected column ${source?.label ?? ''} to ${name}, which would show it; nothing was run`,
    );
}

/** Throws where a definition takes columns away from the rules, or fills a column with protected values. */
export async function checkDefinition(
  { moved, assigned }: Definition,
  context: TraceContext,
  ask: CatalogQuestion,
): Promise<void> {
  const { relations } = context;
  await relations.load(
    [...moved, ...assigned].map(({ relation }) => readRelation(relation)),
    ask,
  );
  for (const { relation, column } of moved) {
    const facts = relations.find(readRelation(relation));
    const columns = facts === undefined ? [] : relations.getColumns(facts);
    const found = columns.find(({ name, value }) => !isClean(value) && (column === undefined || column === name));
    if (found !== undefined)
      throw refuseColumn(`the rules for the column ${found.name ?? ''} would no longer find it; nothing was run`);
  }
  for (const one of assigned) if (one.value !== undefined) checkAssigned(one, context);
}

function checkAssigned({ relation, column, value }: Definition['assigned'][number], context: TraceContext): void {
  const tracer = createTracer(context);
  const { schema, name } = readRelation(relation);
  const element = tracer.relation(schema, name);
  const target = element.columns.find((one) => one.name === column);
  const shown = { name: column, value: clean };
  assign(target ?? shown, tracer.value(value, { ...nowhere, elements: [element] }));
}
