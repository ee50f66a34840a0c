import { setTimeout as sleep } from 'node:timers/promises';
import { middle, start, end as streamEnd, writeBulks } from '../../packages/esmole-mcp/test/logs/log-stream.ts';
import { type Line, type Measured, medianOf, timed } from '../line.ts';
import { residentMemory } from '../process-usage.ts';
import { documents, type EsRig, esRig, longMegabytes, withManyIndices } from '../rigs/es-rig.ts';
import { manyIndices, order, orderFields, slowSearch } from '../rigs/es-seed.ts';

interface EsLine extends Omit<Line, 'measure'> {
  take(rig: EsRig): Promise<Measured>;
}

const characters = 'characters';
const logLines = 200_000;
const all: readonly EsLine[] = [
  { name: '10 hits of 12 fields', goal: 1.15, unit: 'x TSV', take: (rig) => hits(rig, 10) },
  { name: '100 hits of 12 fields', goal: 1.15, unit: 'x TSV', take: (rig) => hits(rig, 100) },
  { name: 'mapping of 18 fields', goal: 320, unit: characters, take: (rig) => mapping(rig, 'bench-small') },
  { name: 'mapping of 1,000 fields, first page', goal: 8_000, unit: characters, take: (rig) => mapping(rig, 'bench-large') },
  { name: '306 indices with docs and size', goal: 4_000, unit: characters, take: indices },
  { name: 'a document with a field of 5 MB', goal: 1_024, unit: characters, take: bigField },
  { name: 'size 10000, answer', goal: 32_768, unit: characters, take: (rig) => large(rig, 'characters') },
  { name: 'size 10000, memory', goal: 8, unit: 'MB', take: (rig) => large(rig, 'MB') },
  { name: 'two aggregations', goal: 500, unit: characters, take: aggregations },
  { name: 'size 10, one by one', goal: 1.5, unit: 'x raw', take: one },
  { name: 'size 10, 50 at once', goal: 1.5, unit: 'x raw', take: parallel },
  { name: `patterns of ${logLines / 1_000},000 log lines, first call`, goal: 2_000, unit: 'ms', take: logs },
  { name: 'cluster down', goal: 50, unit: 'ms', take: down },
  { name: 'cancelled search gone', goal: 300, unit: 'ms', take: cancelled },
  { name: `answer of ${longMegabytes} MB, memory`, goal: 20, unit: 'MB', take: longAnswer },
];

/** What one call costs, and how large its answer is: ours beside the plain HTTP request, asked in turns. */
export const esLines: readonly Line[] = all.map(({ name, take, ...goal }) => ({
  ...goal,
  name: `esmole-mcp ${name}`,
  measure: async ({ node }) => take(await esRig(node)),
}));

const first = { index: 'bench-orders', size: 10 };

/** Fails when the tool did. */
async function call({ ours }: EsRig, tool: string, args: object, expected: RegExp): Promise<string> {
  const text = await ours.callTool(tool, { connection: 'bench', ...args });
  if (!expected.test(text)) throw new Error(`${tool}: ${text.slice(0, 300)}`);
  return text;
}

const search = (rig: EsRig, args: object): Promise<string> => call(rig, 'es_search', args, /^(?:Hit|Total)/);

async function hits(rig: EsRig, size: number): Promise<Measured> {
  const { length } = await search(rig, { ...first, size });
  const found = Array.from({ length: size }, (_, id) => Object.values(order(id)).join('\t'));
  const bare = [orderFields.join('\t'), ...found].join('\n').length;
  const tsv = bare + ['_id', ...found.keys()].join('\t').length + 1;
  return { value: length / tsv, details: { characters: length, tsv, withoutId: length / bare } };
}

async function mapping(rig: EsRig, index: string): Promise<Measured> {
  const { length } = await call(rig, 'es_get_mapping', { index }, /keyword/);
  return { value: length, details: { raw: JSON.stringify(await rig.raw('GET', `/${index}/_mapping`)).length } };
}

/** The whole call, with what loads the miner; the second half of the stream against the first. */
async function logs(rig: EsRig): Promise<Measured> {
  const properties = { '@timestamp': { type: 'date' }, message: { type: 'text' } };
  await rig.raw('PUT', '/bench-logs', { mappings: { properties } });
  for (const lines of writeBulks(logLines)) await rig.raw('POST', '/bench-logs/_bulk?filter_path=errors', lines);
  await rig.raw('POST', '/bench-logs/_refresh');
  const window = { from: middle, to: streamEnd, baseline: { from: new Date(start).toISOString() } };
  const read = () => timed(() => call(rig, 'es_logs', { index: 'bench-logs', ...window }, /certificate of gateway/));
  const value = await read();
  const later = [await read(), await read(), await read()];
  return { value, details: { later: medianOf(later) } };
}

async function indices(rig: EsRig): Promise<Measured> {
  return await withManyIndices(rig, async () => {
    const { length } = await call(rig, 'es_list_indices', {}, /logs-api-2026\.\*/);
    const series = await call(rig, 'es_list_indices', { index: 'logs-api-2026.*' }, /logs-api-2026\.01\.01,/);
    return { value: length, details: { names: manyIndices.join('\n').length, unfolded: series.split('\n').length - 2 } };
  });
}

async function bigField(rig: EsRig): Promise<Measured> {
  const text = await call(rig, 'es_search', { index: 'bench-big' }, /of 5000000/);
  return { value: text.length, details: {} };
}

async function large(rig: EsRig, unit: 'characters' | 'MB'): Promise<Measured> {
  const pid = rig.ours.pid;
  // The first calls open the connection and are compiled; the memory of that is not the answer's.
  for (let warm = 0; warm < 30; warm += 1) await search(rig, first);
  const before = residentMemory(pid) ?? 0;
  const text = await search(rig, { ...first, size: documents });
  const grown = (residentMemory(pid) ?? 0) - before;
  if (!/more: same call/.test(text)) throw new Error(`it does not say how to read on: ${text.slice(0, 200)}`);
  return { value: unit === 'MB' ? grown : text.length, details: { before } };
}

async function aggregations(rig: EsRig): Promise<Measured> {
  const aggs = {
    cities: { terms: { field: 'city.keyword' }, aggs: { spent: { sum: { field: 'total' } } } },
    totals: { stats: { field: 'total' } },
  };
  const text = await search(rig, { index: 'bench-orders', aggs, aggs_only: true });
  if (!text.includes('\nBerlin,') || !text.includes('totals: count=')) throw new Error(`not both: ${text}`);
  return { value: text.length, details: {} };
}

/** In turns, so that whatever else the machine does hits both. */
async function interleaved(
  rig: EsRig,
  rounds: number,
  work: (ask: () => Promise<unknown>) => Promise<unknown>,
): Promise<Measured> {
  const asks = [() => search(rig, first), () => rig.raw('POST', '/bench-orders/_search', { size: 10 })] as const;
  for (let warm = 0; warm < rounds / 4; warm += 1) for (const ask of asks) await work(ask);
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1)
    for (const at of [0, 1] as const) times[at].push(await timed(() => work(asks[at])));
  const [ours, raw] = [medianOf(times[0]), medianOf(times[1])];
  return { value: ours / raw, details: { ms: ours, raw } };
}

function one(rig: EsRig): Promise<Measured> {
  return interleaved(rig, 400, (ask) => ask());
}

function parallel(rig: EsRig): Promise<Measured> {
  return interleaved(rig, 20, (ask) => Promise.all(Array.from({ length: 50 }, ask)));
}

async function down(rig: EsRig): Promise<Measured> {
  await search(rig, first);
  const times: number[] = [];
  for (let round = 0; round < 10; round += 1)
    times.push(await timed(() => call(rig, 'es_search', { connection: 'down' }, /^E_\w+.*\nNext: /s)));
  return { value: medianOf(times), details: { first: times[0] ?? null, max: Math.max(...times) } };
}

async function cancelled(rig: EsRig): Promise<Measured> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const stop = new AbortController();
    const running = rig.tools.call('es_search', { index: 'bench-slow', query: slowSearch(), size: 0 }, { signal: stop.signal });
    const ended = running.then(
      () => 'answered',
      () => 'cancelled',
    );
    await until(async () => (await searches(rig)) > 0);
    stop.abort();
    times.push(await timed(() => until(async () => (await searches(rig)) === 0)));
    if ((await ended) === 'answered') throw new Error('the search was over before it was cancelled');
  }
  return { value: medianOf(times), details: { max: Math.max(...times) } };
}

async function searches(rig: EsRig): Promise<number> {
  return JSON.stringify(await rig.raw('GET', '/_tasks?actions=*search*&detailed=true')).split('bench-slow').length - 1;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('it took longer than 30 s');
    await sleep(2);
  }
}

async function longAnswer(rig: EsRig): Promise<Measured> {
  const pid = rig.ours.pid;
  for (let warm = 0; warm < 30; warm += 1) await search(rig, first);
  await call(rig, 'test_connection', { name: 'long', connection: undefined }, /9\.1\.0/);
  const before = residentMemory(pid) ?? 0;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMemory(pid) ?? 0);
  }, 20);
  const ms = await timed(() => call(rig, 'es_search', { connection: 'long', index: 'long', timeout_ms: 120_000 }, /^Hit/));
  clearInterval(watch);
  const after = residentMemory(pid) ?? 0;
  return { value: Math.max(peak, after) - before, details: { after: after - before, ms } };
}
