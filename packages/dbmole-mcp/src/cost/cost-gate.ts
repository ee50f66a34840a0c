import { Failure, failureWith } from '@dbmole/core';
import { BoundedCache } from '../backend/bounded-cache.ts';
import type { PlanReader, SqlCatalog, TableDetails } from '../catalog/catalog.ts';
import type { CatalogRun, ReadRequest, Session, SnapshotRead } from '../engine.ts';
import { explainRead, premiseCode } from '../guard/read-statement.ts';
import { collectPlan } from '../plan/collect-plan.ts';
import { redactPlan } from '../policy/redact-plan.ts';
import type { Scope } from '../policy/scope.ts';
import type { CostLimit } from './cost-limits.ts';
import { type Excess, findExcesses, findWorst, formatExcessNote, type NamedRead, refuseExcess } from './cost-refusal.ts';
import type { Forecast, Forecaster, ForecastQuestions, TableRead } from './forecast.ts';

/** A table can grow and be analyzed meanwhile, so a cheap read is explained again after this time. */
const rememberedMs = 120_000;
/** Plans of statements with thousands of parts are long. */
const maxPlanLength = 8_000_000;

export interface GateParts {
  limits: readonly CostLimit[];
  plan: PlanReader;
  /** It has nothing of what is outside of the scope. */
  catalog: SqlCatalog;
  scope: Scope | undefined;
}

/** A guarded read that has a session and is about to run in it. */
interface AdmittedRead {
  session: Session;
  request: ReadRequest;
  database: string | undefined;
  signal: AbortSignal;
  runOver(read: SnapshotRead): CatalogRun;
}

interface Asked {
  read: AdmittedRead;
  own: CatalogRun;
  /** For a refusal, which names the step that reads the most. */
  countsRows?: boolean;
}

interface Known {
  until: number;
  premise: string | undefined;
  note: string | undefined;
}

/**
 * Asks for the plan of a read before it runs, in the same session, and refuses it where the plan exceeds a limit of the policy. Texts
 * that passed with the same params, row limit and database are not explained again for a while.
 */
export class CostGate {
  readonly #parts: GateParts;
  #passed = new BoundedCache<Known>();
  #version: string | undefined;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** What passed may be costly after a write. */
  forget(): void {
    this.#passed = new BoundedCache<Known>();
  }

  /** Resolves to a note for the answer if a limit that only warns is exceeded; throws the refusal. */
  async admit(read: AdmittedRead): Promise<string | undefined> {
    const { statement, params, maxRows } = read.request;
    const key = JSON.stringify([read.database, maxRows, statement.sql, params]);
    const known = this.#passed.get(key);
    if (known !== undefined && known.until > performance.now() && known.premise === statement.premise) return known.note;
    const note = await this.#estimate(read);
    this.#passed.add(key, { until: performance.now() + rememberedMs, premise: statement.premise, note });
    return note;
  }

  async #estimate(read: AdmittedRead): Promise<string | undefined> {
    const { limits, plan } = this.#parts;
    const forecaster = await plan.forecaster();
    const sql = await forecaster.findPlanned(read.request.statement);
    if (sql === undefined) return undefined;
    const own = read.runOver(inTurn(read));
    const forecast = await this.#forecast(forecaster, { read, own }, sql);
    const excesses = findExcesses(forecast, limits);
    const refused = excesses.find(({ limit }) => !limit.onlyWarns);
    if (refused !== undefined) {
      const counted = this.#wants.rows ? forecast : await this.#forecast(forecaster, { read, own, countsRows: true }, sql);
      throw await this.#refuse(refused, counted, { own, sql });
    }
    return excesses.length === 0 ? undefined : formatExcessNote(excesses);
  }

  get #wants(): ForecastQuestions['wants'] {
    const keys = new Set(this.#parts.limits.map(({ key }) => key));
    return { rows: keys.has('maxScanRows') || keys.has('maxBytes'), bytes: keys.has('maxBytes') };
  }

  async #forecast(forecaster: Forecaster, { read, own, countsRows = false }: Asked, sql: string): Promise<Forecast> {
    const { rows, bytes } = this.#wants;
    const questions: ForecastQuestions = {
      maxRows: read.request.maxRows,
      wants: { rows: rows || countsRows, bytes },
      explain: (prefix, text) => explain(read, prefix, text),
      own,
      version: async () => {
        this.#version ??= (await own('select version()'))[0]?.[0] ?? '';
        return this.#version;
      },
    };
    const before = read.request.statement.sql.length - sql.length;
    return await forecaster.forecast(questions, sql).catch((error: unknown) => Promise.reject(movedBack(error, before)));
  }

  async #refuse(excess: Excess, forecast: Forecast, place: { own: CatalogRun; sql: string }): Promise<Failure> {
    const worst = findWorst(forecast);
    return refuseExcess(excess, worst === undefined ? undefined : await this.#name(worst, place));
  }

  /** Undefined where the table is outside of the scope, as behind a view. */
  async #name(read: TableRead, { own, sql }: { own: CatalogRun; sql: string }): Promise<NamedRead | undefined> {
    const { scope, plan } = this.#parts;
    if (scope !== undefined && read.schema !== undefined && !scope.allows(read.schema, read.table)) return undefined;
    const name = plan.findTable?.(read.table, sql) ?? read.table;
    const table = await this.#describe(own, name, read.schema);
    return scope !== undefined && table === undefined ? undefined : { read, table };
  }

  /** Best effort: a refusal without it is still a refusal. */
  async #describe(own: CatalogRun, name: string, schema: string | undefined): Promise<TableDetails | undefined> {
    try {
      const { tables } = await this.#parts.catalog.describeTables(own, { names: [name], schema });
      return tables.find(({ alsoIn }) => alsoIn.length === 0);
    } catch (error) {
      if (error instanceof Failure && error.code !== premiseCode) return undefined;
      throw error;
    }
  }
}

/** A session answers one question after the other. */
function inTurn({ session, signal }: AdmittedRead): SnapshotRead {
  let last: Promise<unknown> = Promise.resolve();
  return (request, sink) => {
    const answer = last.then(() => session.read(request, sink, signal));
    last = answer.catch(() => undefined);
    return answer;
  };
}

async function explain({ session, request, signal }: AdmittedRead, prefix: string, sql: string): Promise<string> {
  const { sink, text } = collectPlan();
  const { params, timeoutMs, maxRows } = request;
  const statement = explainRead(request.statement, prefix, sql);
  try {
    await session.read({ statement, params, timeoutMs, maxRows, keepPerCell: maxPlanLength, isForecast: true }, sink, signal);
  } catch (error) {
    throw movedBack(error, -prefix.length);
  }
  const plan = text();
  return request.statement.columns?.plansShowValues ? redactPlan(plan) : plan;
}

/** Positions are those in the caller's text. */
function movedBack(error: unknown, by: number): unknown {
  if (!(error instanceof Failure) || error.position === undefined || by === 0) return error;
  const position = error.position + by;
  return failureWith(error, { position: position > 0 ? position : undefined });
}
