import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngine } from '@dbmole/engines';
import { runDirect } from '../../packages/dbmole-mcp/test/direct.ts';
import { type BenchOptions, type Line, type Measured, medianOf, timed } from '../line.ts';
import { processorTime } from '../process-usage.ts';
import { StdioServer } from '../stdio-server.ts';

const program = fileURLToPath(new URL('../../packages/dbmole-mcp/dist/main.js', import.meta.url));
const rounds = 100;
/** Reads in a row, whose processor time is taken together. */
const perBlock = 20;
/** Reads before a block: a process that was not asked for a while is slower. */
const perWarming = 5;
const sql = 'select id, name, price from items where id <= 10';

/** The fields that each connection has beside those of `plain`, over the same database. */
const policies = {
  plain: {},
  elsewhere: { columns: { 'people.email': 'mask' } },
  protecting: { columns: { 'items.name': 'pseudonym' } },
  limited: { maxCost: 1_000_000, maxScanRows: 1_000_000 },
} as const;

/** Medians of a small read: milliseconds, and those of the processor, which other load of the machine changes less. */
interface Figures {
  ms: number;
  /** Not a number where it cannot be read. */
  cpu: number;
}

/** A small read with a part of the policy, and the same read without it. */
interface Pair {
  with: Figures;
  without: Figures;
}

type Kind = Exclude<keyof typeof policies, 'plain'> | 'audited';

let measured: Promise<Record<Kind, Pair>> | undefined;

interface Reader {
  pid: number;
  ask(): Promise<unknown>;
}

/** Each pair in turn, and in each the one or the other first, so that whatever else the machine does hits both alike. */
async function measurePairs(pairs: Readonly<Record<Kind, readonly [Reader, Reader]>>): Promise<Record<Kind, Pair>> {
  const entries = Object.entries(pairs).map(([kind, readers]) => ({ kind, blocks: readers.map((reader) => new Blocks(reader)) }));
  for (let round = 0; round < rounds; round += 1)
    for (const { blocks } of entries) for (const block of round % 2 === 0 ? blocks : blocks.toReversed()) await block.measure();
  const found = entries.map(({ kind, blocks }) => [kind, { with: blocks[0]?.figures, without: blocks[1]?.figures }] as const);
  // Every pair has two readers.
  return Object.fromEntries(found) as Record<Kind, Pair>;
}

class Blocks {
  readonly #reader: Reader;
  readonly #ms: number[] = [];
  readonly #cpu: number[] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async measure(): Promise<void> {
    const { pid, ask } = this.#reader;
    for (let i = 0; i < perWarming; i += 1) await ask();
    const before = processorTime(pid) ?? Number.NaN;
    for (let i = 0; i < perBlock; i += 1) this.#ms.push(await timed(ask));
    this.#cpu.push(((processorTime(pid) ?? Number.NaN) - before) / perBlock);
  }

  get figures(): Figures {
    return { ms: medianOf(this.#ms), cpu: medianOf(this.#cpu) };
  }
}

async function measureAll({ node }: BenchOptions): Promise<Record<Kind, Pair>> {
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
    const read = (one: StdioServer, connection: string): Reader => ({
      pid: one.pid,
      ask: () => one.callTool('query', { connection, sql }),
    });
    const plain = read(server, 'plain');
    return await measurePairs({
      elsewhere: [read(server, 'elsewhere'), plain],
      protecting: [read(server, 'protecting'), plain],
      limited: [read(server, 'limited'), plain],
      audited: [read(audited, 'plain'), read(unaudited, 'plain')],
    });
  } finally {
    await Promise.all([server, audited, unaudited].map((one) => one.stop()));
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf(name: string, kind: Kind, goal: number): Line {
  const measure = async (options: BenchOptions): Promise<Measured> => {
    measured ??= measureAll(options);
    const pair = (await measured)[kind];
    const [byTime, byProcessor] = [pair.with.ms / pair.without.ms, pair.with.cpu / pair.without.cpu];
    const details = { cpu: pair.with.cpu, cpuWithout: pair.without.cpu, ms: pair.with.ms, msWithout: pair.without.ms, byTime };
    return { value: Number.isNaN(byProcessor) ? byTime : byProcessor, details };
  };
  return { name: `dbmole-mcp policy: ${name}`, goal, unit: 'x the processor time without', measure };
}

/** What a person's policy costs a small read, compared with the same read without one. */
export const policyLines: readonly Line[] = [
  lineOf('columns of another table are protected', 'elsewhere', 1.05),
  lineOf('a column of the table is protected', 'protecting', 1.15),
  lineOf('limits of cost, for a text that was planned before', 'limited', 1.05),
  lineOf('an audit log', 'audited', 1.5),
];
