import { Failure } from '@dbmole/core';
import { failureOf } from '@dbmole/core/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlanReader, SqlCatalog } from '../catalog/catalog.ts';
import { connectionSchema } from '../connection/schema.ts';
import type { CatalogRun, Session } from '../engine.ts';
import { ownStatement, type ReadStatement } from '../guard/read-statement.ts';
import { CostGate } from './cost-gate.ts';
import { type CostLimit, formatCostLimits, readCostLimits } from './cost-limits.ts';
import type { Forecast } from './forecast.ts';
import { openGate } from './open-gate.ts';

const { signal } = new AbortController();
const refused = (): never => {
  throw new Failure('engine', 'not asked');
};

let explained: string[] = [];
let forecast: Forecast = { cost: 5, reads: [] };
/** It answers every question with a plan of one cell. */
const session: Session = {
  alive: true,
  async read({ statement }, sink) {
    explained.push(statement.sql);
    sink.columns([]);
    sink.row(['the plan']);
    return { timeZone: undefined };
  },
  readAll: refused,
  write: refused,
  transact: refused,
  close: async () => undefined,
};
const plan: PlanReader = {
  statement: refused,
  parse: refused,
  ddl: refused,
  findUnlikeJoins: refused,
  forecaster: async () => ({
    findPlanned: async ({ sql }) => (sql.startsWith('show') ? undefined : sql),
    async forecast({ explain }, sql) {
      expect(await explain('EXPLAIN (FORMAT JSON) ', sql)).toBe('the plan');
      return forecast;
    },
  }),
};
// It is not asked for what these tests need.
const catalog = { describeTables: refused } as unknown as SqlCatalog;
const runOver = (): CatalogRun => async () => [];

function openLimits(...limits: CostLimit[]) {
  const gate = new CostGate({ limits, plan, catalog, scope: undefined });
  const admit = (sql: string, more: { params?: string[]; maxRows?: number; database?: string; premise?: string } = {}) => {
    const { database, premise = 'p', params = [], maxRows } = more;
    const statement: ReadStatement = { ...ownStatement(sql), premise };
    const request = { statement, params, timeoutMs: 1_000, keepPerCell: 1, maxRows };
    return gate.admit({ session, request, database, signal, runOver });
  };
  return { gate, admit };
}

beforeEach(() => {
  explained = [];
  forecast = { cost: 5, reads: [] };
});

describe('the gate for costly reads', () => {
  it('explains a text once, and again with other params, limits, databases and premises', async () => {
    const { admit, gate } = openLimits({ key: 'maxCost', max: 10, onlyWarns: false });
    for (let i = 0; i < 3; i += 1) await admit('select 1');
    expect(explained).toEqual(['EXPLAIN (FORMAT JSON) select 1']);
    for (const more of [{ params: ['1'] }, { params: ['2'] }, { maxRows: 5 }, { database: 'other' }, { premise: 'q' }]) {
      await admit('select 1', more);
      await admit('select 1', more);
    }
    expect(explained).toHaveLength(6);
    gate.forget();
    await admit('select 1', { premise: 'q' });
    expect(explained).toHaveLength(7);
  });

  it('explains it again after two minutes', async () => {
    const { admit } = openLimits({ key: 'maxCost', max: 10, onlyWarns: false });
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      await admit('select 1');
      vi.advanceTimersByTime(119_000);
      await admit('select 1');
      expect(explained).toHaveLength(1);
      vi.advanceTimersByTime(2_000);
      await admit('select 1');
      expect(explained).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not remember a refusal, for which the rows are counted as well', async () => {
    const { admit } = openLimits({ key: 'maxCost', max: 4, onlyWarns: false });
    for (let i = 0; i < 2; i += 1) expect(await failureOf(admit('select 1'))).toMatchObject({ code: 'E_TOO_COSTLY' });
    forecast = { cost: 3, reads: [] };
    expect(await admit('select 1')).toBeUndefined();
    expect(explained).toHaveLength(5);
  });

  it('sends nothing for a statement without a plan', async () => {
    const { admit } = openLimits({ key: 'maxCost', max: 4, onlyWarns: false });
    expect(await admit('show x')).toBeUndefined();
    expect(explained).toEqual([]);
  });

  it('notes a limit that only warns, and refuses by another one', async () => {
    const warns: CostLimit = { key: 'maxCost', max: 4, onlyWarns: true };
    expect(await openLimits(warns).admit('select 1')).toBe('The plan costs 5, and this connection allows 4 (warn).');
    const refuses: CostLimit = { key: 'maxCost', max: 4.5, onlyWarns: false };
    expect(await failureOf(openLimits(warns, refuses).admit('select 1'))).toMatchObject({
      message: 'the plan costs 5, and this connection allows 4.5; nothing was run',
    });
  });
});

describe('limits of cost', () => {
  const connection = (more: object, alsoHolds?: object[]) => ({
    ...connectionSchema.parse({ name: 'shop', type: 'postgres', host: 'db.internal', user: 'me', ...more }),
    ...(alsoHolds && { alsoHolds }),
  });

  it('are the smallest of all policies, and a warning loosens none', () => {
    const one = connection({ maxCost: 10, maxScanRows: 5, warn: true }, [{ maxCost: 20, maxScanRows: 3 }]);
    expect(readCostLimits(one)).toEqual([
      { key: 'maxCost', max: 10, onlyWarns: true },
      { key: 'maxCost', max: 20, onlyWarns: false },
      { key: 'maxScanRows', max: 3, onlyWarns: false },
    ]);
    expect(formatCostLimits(one)).toBe('maxCost 10 (warns), maxCost 20, maxScanRows 3');
    expect(formatCostLimits(connection({ maxBytes: 5 }, [{ maxBytes: 5 }]))).toBe('maxBytes 5');
  });

  it('have no gate where there are none', () => {
    expect(formatCostLimits(connection({}))).toBeUndefined();
    expect(openGate(connection({}), { plan, catalog, scope: undefined })).toBeUndefined();
  });

  it.each([
    [{ warn: true }, 'warn', 'it needs a limit: maxCost, maxScanRows, maxBytes'],
    [{ maxCost: 0 }, 'maxCost', ''],
    [{ maxScanRows: 1.5 }, 'maxScanRows', ''],
    [{ maxBytes: '5GB' }, 'maxBytes', ''],
    [{ maxCost: 5, warn: 'yes' }, 'warn', ''],
  ])('refuse %j', (keys, path, message) => {
    const parsed = connectionSchema.safeParse({ name: 'shop', type: 'postgres', host: 'db.internal', user: 'me', ...keys });
    expect(parsed.error?.issues).toMatchObject([{ path: [path], message: expect.stringContaining(message) }]);
  });
});
