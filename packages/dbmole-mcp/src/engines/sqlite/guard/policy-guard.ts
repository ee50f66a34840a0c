import type { CatalogQuestion, ColumnPlan } from '../../../guard/read-statement.ts';
import type { Scope } from '../../../policy/scope.ts';
import type { Token } from '../../../statement/tokens.ts';
import { refuseUnwritable } from '../session/writable.ts';
import { countPlaceholders } from '../values/placeholders.ts';
import { planRead } from './columns/plan-read.ts';
import { planWrite } from './columns/plan-write.ts';
import { readPrograms } from './columns/program/instruction.ts';
import { readSchema, type Schema } from './columns/schema.ts';
import { applyRules, type openPolicy, type Storage } from './columns/storage.ts';
import { addViewRules } from './columns/view-rules.ts';
import { refuseOutside } from './scope.ts';
import { checkScopedWrite } from './scoped-write/check-scoped-write.ts';
import { tokenize } from './text/lexer.ts';

interface Policies {
  scope: Scope | undefined;
  columns: ReturnType<typeof openPolicy>;
}

interface Checked {
  /** The schema for which this holds. */
  stamp: string;
  plan: ColumnPlan | undefined;
}

/** What the policy says of statements, by the schema of the file and the program that SQLite would run. */
export class PolicyGuard {
  readonly #policies: Policies;
  /** The schema as it was last read. */
  #schema: Schema | undefined;
  #storage: { schema: Schema; storage: Storage } | undefined;

  constructor(policies: Policies) {
    this.#policies = policies;
  }

  async checkRead(tokens: readonly Token[], sql: string, run: CatalogQuestion): Promise<Checked> {
    const { scope, columns } = this.#policies;
    const { isPlan, from } = skipExplain(tokens);
    const isQuery = tokens[0]?.word !== 'PRAGMA';
    const asksProgram = columns !== undefined && isQuery;
    const { schema, rows } = await this.#readSchema(run, asksProgram ? explain(sql.slice(from), run) : Promise.resolve([]));
    if (scope !== undefined) refuseOutside(tokens, schema, scope);
    if (columns === undefined || !asksProgram) return { stamp: schema.stamp, plan: undefined };
    const storage = await addViewRules(this.#applyRules(schema, columns), { schema, tokens, run });
    const ruled = { schema, storage, isStrict: columns.strict };
    return { stamp: schema.stamp, plan: planRead(ruled, { tokens, programs: readPrograms(rows) }, isPlan) };
  }

  async checkWrite(sql: string, run: CatalogQuestion): Promise<ColumnPlan | undefined> {
    const { scope, columns } = this.#policies;
    // A program is asked for only of what could run.
    refuseUnwritable(sql);
    const tokens = tokenize(sql);
    const { schema, rows } = await this.#readSchema(run, explain(sql, run));
    const text = { tokens, programs: readPrograms(rows) };
    if (scope !== undefined) checkScopedWrite(sql, text, { schema, scope });
    if (columns === undefined) return undefined;
    const storage = await addViewRules(this.#applyRules(schema, columns), { schema, tokens, run });
    return planWrite({ schema, storage, isStrict: columns.strict }, sql, text);
  }

  async #readSchema(run: CatalogQuestion, also: ReturnType<CatalogQuestion>) {
    const found = await readSchema(run, also, this.#schema);
    this.#schema = found.schema;
    return found;
  }

  #applyRules(schema: Schema, columns: NonNullable<Policies['columns']>): Storage {
    if (this.#storage?.schema !== schema) this.#storage = { schema, storage: applyRules(schema, columns) };
    return this.#storage.storage;
  }
}

/** The guard, or what runs a write, accepts nothing but one statement, and nothing of it runs here. */
function explain(sql: string, run: CatalogQuestion) {
  return run(`EXPLAIN ${sql}`, new Array(countPlaceholders(sql)).fill(''));
}

/** The position of what a plan is asked for. */
function skipExplain(tokens: readonly Token[]): { isPlan: boolean; from: number } {
  if (tokens[0]?.word !== 'EXPLAIN') return { isPlan: false, from: 0 };
  const inner = tokens[1]?.word === 'QUERY' && tokens[2]?.word === 'PLAN' ? tokens[3] : tokens[1];
  return { isPlan: true, from: inner?.start ?? 0 };
}
