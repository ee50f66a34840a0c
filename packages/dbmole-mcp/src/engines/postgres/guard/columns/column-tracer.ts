import type { ColumnPolicy } from '@dbmole/core/match-columns';
import { BoundedCache } from '../../../../backend/bounded-cache.ts';
import type { CatalogQuestion, ColumnPlan, ColumnVerdict } from '../../../../guard/read-statement.ts';
import { refuseColumn, refuseStrict } from '../../../../policy/column-policy.ts';
import type { Check } from '../proof/check.ts';
import { openParser } from '../thread/parser.ts';
import type { StatementNames } from '../tree/names.ts';
import { asFields, asList } from '../tree/walk.ts';
import { type CodeReads, noCode, openCodeReads, openStoredReads, type StoredReads } from './catalog/code-reads.ts';
import { type FunctionShapes, loadShapes } from './catalog/function-shapes.ts';
import { openPolicies, type Policies } from './catalog/policies.ts';
import type { RelationFacts } from './catalog/relation-facts.ts';
import { Relations } from './catalog/relations.ts';
import { getViewQuery, reachRelations } from './catalog/views.ts';
import { nowhere, type Rows } from './environment.ts';
import { createTracer, refuseSource, type TraceContext, ViewColumns } from './trace-body.ts';
import { findsByItself } from './trace-expression.ts';
import { Untraceable } from './tracer.ts';
import { findAction, judge } from './value.ts';
import { checkDefinition, type ParsedWrite, refuseWrite, traceWriteRows } from './writes/write-tracer.ts';

/** What the policy says of one statement. */
export interface TracedColumns {
  /** Undefined if the statement reaches no protected column. */
  readonly columns: ColumnPlan | undefined;
  /** What must stay beyond the premise of the proof: ` and …`. */
  readonly premise: string;
}

/** A statement that the proof has checked. */
type WriteContext = Pick<CheckedStatement, 'check' | 'major' | 'ask'> & { readonly sql: string };

export interface CheckedStatement {
  readonly names: StatementNames;
  readonly check: Check;
  readonly major: number;
  readonly ask: CatalogQuestion;
}

/** Follows the columns of statements to their sources. What it knows of the catalog is kept until the premise fails. */
export class ColumnTracer {
  readonly #policy: ColumnPolicy;
  #relations: Relations;
  #shapes: FunctionShapes = new Map();
  #stored: StoredReads | undefined;
  #policies: Policies | undefined;
  /** What must stay for statements over the same tables that lead to no protected column and run no code. */
  #plain = new BoundedCache<string>();

  constructor(policy: ColumnPolicy) {
    this.#policy = policy;
    this.#relations = new Relations(policy);
  }

  forget(): void {
    this.#relations = new Relations(this.#policy);
    this.#shapes = new Map();
    this.#stored = undefined;
    this.#policies = undefined;
    this.#plain = new BoundedCache();
  }

  /** For one statement alone: nothing that is known of the catalog is used. */
  openAlone(): ColumnTracer {
    return new ColumnTracer(this.#policy);
  }

  /** Throws `E_PROTECTED_COLUMN` for what must not pass. */
  async trace(statement: CheckedStatement): Promise<TracedColumns> {
    const { names, ask, check } = statement;
    const key = JSON.stringify(names.relations.map(({ schema, name }) => [schema, name]));
    const known = this.#plain.get(key);
    if (known !== undefined && this.#runsNoCode(names, check)) return { columns: undefined, premise: known };
    const relations = this.#relations;
    const reading = await this.#read(statement);
    const { reached, code, behind } = reading;
    const premise = relations.formatPremise(names.relations, new Set([...reached, ...code.relations, ...behind.relations]));
    if (!this.#isAffected(reading)) {
      const isPlain = this.#runsNoCode(names, check) && reading.bodies.length === 1 && behind === nothingBehind;
      return { columns: undefined, premise: isPlain ? this.#plain.add(key, premise) : premise };
    }
    await loadShapes(
      this.#shapes,
      reading.bodies.flatMap(({ functions }) => functions.map(({ name }) => name)),
      ask,
    );
    const context = { relations, shapes: this.#shapes, code, isStrict: this.#policy.strict, sql: names.text };
    return { columns: await planColumns(names, context), premise };
  }

  /** What the policy hides of what a write returns. Throws `E_PROTECTED_COLUMN` for a write that copies protected values. */
  async traceWrite(write: ParsedWrite, { sql, check, major, ask }: WriteContext): Promise<ColumnPlan | undefined> {
    const { names, definition, isExplain } = write;
    const context = { relations: this.#relations, shapes: this.#shapes, code: noCode, isStrict: this.#policy.strict, sql };
    if (definition !== undefined) await checkDefinition(definition, context, ask);
    if (names === undefined) return undefined;
    const reading = await this.#read({ names, check, major, ask });
    if (!this.#isAffected(reading)) return undefined;
    const { code, bodies } = reading;
    const [called] = code.names;
    if (called !== undefined || code.isEverywhere) throw refuseWrite(called);
    await loadShapes(
      this.#shapes,
      bodies.flatMap(({ functions }) => functions.map(({ name }) => name)),
      ask,
    );
    const rows = traceWriteRows(write, { ...context, code, isMeasured: isExplain });
    return isExplain ? { verdicts: [null], origins: {} } : planRows(rows, names, context);
  }

  /** It calls nothing that was made by a user, or that reads by itself. */
  #runsNoCode(names: StatementNames, check: Check): boolean {
    const stored = this.#stored;
    if (stored === undefined || stored.has('') || check.listCode(names).length > 0) return false;
    const { functions, operators, types, fields } = names;
    const isStored = ({ name }: { name: string }) => stored.has(name);
    if (stored.size > 0 && [functions, operators, types, fields].some((uses) => uses.some(isStored))) return false;
    return !functions.some(({ schema, name }) => findsByItself(schema, name));
  }

  /** The relations that the statement leads to, through views, and what code reads. */
  async #read({ names, check, major, ask }: CheckedStatement): Promise<Reading> {
    const relations = this.#relations;
    await relations.load(names.relations, ask);
    const named = names.relations.flatMap((name) => relations.find(name) ?? []);
    const reached = await reachRelations(named, relations, ask);
    const bodies = [names, ...[...reached].flatMap((facts) => getViewQuery(facts)?.names ?? [])];
    this.#stored ??= await openStoredReads(ask, major);
    const code = await openCodeReads(bodies, { check, relations, stored: this.#stored, ask });
    return { reached, bodies, code, behind: await this.#readPolicies(reached, { check, ask, stored: this.#stored }) };
  }

  /** What policies read is in no result, but can be in an error of theirs. */
  async #readPolicies(
    tables: ReadonlySet<RelationFacts>,
    { check, ask, stored }: Pick<CheckedStatement, 'check' | 'ask'> & { readonly stored: StoredReads },
  ): Promise<Behind> {
    const relations = this.#relations;
    this.#policies ??= await openPolicies(ask);
    const reached = new Set(tables);
    const texts: StatementNames[] = [];
    for (const facts of reached) {
      for (const names of this.#policies.get(facts.oid) ?? []) {
        if (names === null) return { relations: reached, mayShow: true };
        texts.push(names);
        await relations.load(names.relations, ask);
        const named = names.relations.flatMap((name) => relations.find(name) ?? []);
        for (const one of await reachRelations(named, relations, ask)) reached.add(one);
      }
    }
    if (texts.length === 0) return nothingBehind;
    const code = await openCodeReads(texts, { check, relations, stored, ask });
    const isProtected = [...reached].some((facts) => relations.isProtected(facts));
    return {
      relations: new Set([...reached, ...code.relations]),
      mayShow: isProtected || code.names.size > 0 || code.isEverywhere,
    };
  }

  #isAffected({ reached, bodies, code, behind }: Reading): boolean {
    if (code.names.size > 0 || code.isEverywhere || behind.mayShow) return true;
    return (
      [...reached].some((facts) => this.#relations.isProtected(facts)) ||
      bodies.some(({ functions }) => functions.some(({ schema, name }) => findsByItself(schema, name)))
    );
  }
}

interface Reading {
  readonly reached: ReadonlySet<RelationFacts>;
  /** The statement itself, and the queries of views. */
  readonly bodies: readonly StatementNames[];
  readonly code: CodeReads;
  readonly behind: Behind;
}

/** What the policies of tables lead to. */
interface Behind {
  readonly relations: ReadonlySet<RelationFacts>;
  /** An error of theirs may have a protected value. */
  readonly mayShow: boolean;
}

const nothingBehind: Behind = { relations: new Set(), mayShow: false };

async function planColumns(names: StatementNames, context: TraceContext): Promise<ColumnPlan> {
  const parser = await openParser();
  const [statement] = parser.parse(names.text);
  const { ExplainStmt: explained, VariableShowStmt: shown } = asFields(statement?.stmt);
  if (shown !== undefined) return { verdicts: [null], origins: {} };
  if (explained === undefined) return planRows(traceRows(statement?.stmt, context), names, context);
  const { query, options } = asFields(explained);
  const isMeasured = asList(options).some((option) => asFields(asFields(option).DefElem).defname === 'analyze');
  traceRows(query, { ...context, isMeasured });
  return planExplain(context);
}

function planRows(rows: Rows | undefined, names: StatementNames, context: TraceContext): ColumnPlan {
  const verdicts = rows === undefined ? undefined : judgeRows(rows);
  if (context.isStrict && verdicts?.every((verdict) => verdict !== undefined) !== true)
    throw refuseStrict('the source of a column cannot be told');
  return { verdicts, origins: listOrigins(names, context) };
}

function traceRows(statement: unknown, context: TraceContext): Rows | undefined {
  try {
    return createTracer(context).query(statement, nowhere);
  } catch (error) {
    // Too long, or nested too deeply.
    if (error instanceof Untraceable || error instanceof RangeError) return undefined;
    throw error;
  }
}

function judgeRows({ columns, others }: Rows): ColumnPlan['verdicts'] {
  for (const { value } of columns) if (findAction(value) === 'refuse') throw refuseSource(value);
  if (others !== undefined && findAction(others) === 'refuse') throw refuseSource(others);
  if (others !== undefined) return undefined;
  return columns.map(({ value }) => judge(value));
}

/** A plan shows no values, except of functions that are evaluated while it is made. */
function planExplain({ code }: TraceContext): ColumnPlan {
  const [name] = code.names;
  if (name !== undefined || code.isEverywhere)
    throw refuseColumn(`the plan may show what ${name ?? 'a function'} reads of protected columns; nothing was run`);
  return { verdicts: [null], origins: {} };
}

/** What the server may report as the source of a column. */
function listOrigins(names: StatementNames, context: TraceContext): ColumnPlan['origins'] {
  const views = new ViewColumns(context);
  const origins: Record<string, ColumnVerdict | null> = {};
  for (const facts of names.relations.flatMap((name) => context.relations.find(name) ?? [])) {
    for (const [i, { value }] of views.read(facts).entries()) {
      const verdict = judge(value);
      if (verdict !== undefined) origins[`${facts.oid}.${facts.columns[i]?.[0] ?? 0}`] = verdict;
    }
  }
  return origins;
}
