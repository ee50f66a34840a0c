import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngine } from '@dbmole/engines';
import { runDirect } from '../../packages/dbmole-mcp/test/direct.ts';
import { type BenchOptions, type Line, type Measured, medianOf, timed } from '../line.ts';
import { StdioServer } from '../stdio-server.ts';

const program = fileURLToPath(new URL('../../packages/dbmole-mcp/dist/main.js', import.meta.url));
const rounds = 1_000;
const sql = 'select id, name, price from items where id <= 10';

/** The fields that each connection has beside those of `plain`, over the same database. */
const policies = {
  plain: {},
  elsewhere: { columns: { 'people.email': 'mask' } },
  protecting: { columns: { 'items.name': 'pseudonym' } },
  limited: { maxCost: 1_000_000, maxScanRows: 1_000_000 },
} as const;

interface Measurement {
  /** The time of a small read over each connection, and over `plain` of two other processes, with an audit log and without. */
  ms: Record<keyof typeof policies | 'audited' | 'unaudited', number>;
}

let measured: Promise<Measurement> | undefined;

/** Each policy in turn with none, so that whatever else the machine does hits all of them. */
async function measureAll({ node }: BenchOptions): Promise<Measurement> {
  const engine = await startEngine('postgres18');
  const folder = mkdtempSync(join(tmpdir(), 'mole-bench-audit-'));
  const { host, port, user, password } = engine;
  const account = { type: 'postgres', host, port, user, password, database: 'postgres' };
  const connections = Object.entries(policies).map(([name, fields]) => ({ ...account, name, ...fields }));
  const env = { DBMOLE_CONNECTIONS: JSON.stringify(connections) };
  const server = new StdioServer({ file: program, node, env });
  const audited = new StdioServer({ file: program, node, env, args: ['--audit', join(folder, 'audit.jsonl')] });
  const unaudited = new StdioServer({ file: program, node, env });
  try {
    await runDirect(engine, [
      'create table people (id int primary key, email text)',
      "create table items as select n as id, 'item ' || n as name, n * 1.5 as price from generate_series(1, 1000) n",
      'create unique index on items (id)',
      'analyze',
    ]);
    await Promise.all([server, audited, unaudited].map((one) => one.initialize()));
    const read = (one: StdioServer, connection: string) => () => one.callTool('query', { connection, sql });
    const asks = [
      ...Object.keys(policies).map((name) => ({ name, ask: read(server, name) })),
      { name: 'audited', ask: read(audited, 'plain') },
      { name: 'unaudited', ask: read(unaudited, 'plain') },
    ];
    const times = new Map<string, number[]>(asks.map(({ name }) => [name, []]));
    for (let round = -100; round < rounds; round += 1) {
      // Each is the first in its turn, because a process that was not asked for a while is slower.
      const first = (round + 100) % asks.length;
      for (const { name, ask } of [...asks.slice(first), ...asks.slice(0, first)]) {
        await ask();
        const ms = await timed(ask);
        if (round >= 0) times.get(name)?.push(ms);
      }
    }
    const ms = Object.fromEntries([...times].map(([name, all]) => [name, medianOf(all)]));
    // Every connection was asked.
    return { ms: ms as Measurement['ms'] };
  } finally {
    await Promise.all([server, audited, unaudited].map((one) => one.stop()));
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf(name: string, kind: keyof Measurement['ms'], goal: number, without: keyof Measurement['ms'] = 'plain'): Line {
  const measure = async (options: BenchOptions): Promise<Measured> => {
    measured ??= measureAll(options);
    const { ms } = await measured;
    return { value: ms[kind] / ms[without], details: { ms: ms[kind], without: ms[without] } };
  };
  return { name: `dbmole-mcp policy: ${name}`, goal, unit: 'x without', measure };
}

/** What a person's policy costs a small read, compared with the same read without one. */
export const policyLines: readonly Line[] = [
  lineOf('columns of another table are protected', 'elsewhere', 1.05),
  lineOf('a column of the table is protected', 'protecting', 1.15),
  lineOf('limits of cost, for a text that was planned before', 'limited', 1.05),
  lineOf('an audit log', 'audited', 1.5, 'unaudited'),
];
