import { Failure, longestSecret } from '@dbmole/core';
import { TableSink } from '../table-sink.ts';
import type { Call } from '../tool.ts';
import type { TableDetails } from './catalog.ts';

const sampledRows = 3;
const cellLimit = 60;
/** Characters of one table, of which a description may have twenty. */
const maxSample = 4_000;
/** A view may take long for its first rows. */
const maxSampleMs = 5_000;

/** The first rows of each table, read like any query: what the guard refuses is not sampled, and the reason is shown instead. */
export async function sampleTables(call: Call, tables: readonly TableDetails[]): Promise<Map<string, readonly string[]>> {
  const samples = new Map<string, readonly string[]>();
  for (const { name } of tables) samples.set(name, await sampleTable(call, name));
  return samples;
}

async function sampleTable({ backend, options, engineMs }: Call, name: string): Promise<readonly string[]> {
  const sink = new TableSink({ rowLimit: sampledRows, cellLimit, budget: maxSample });
  const request = {
    sql: `select * from ${name} limit ${sampledRows}`,
    params: [],
    timeoutMs: Math.min(maxSampleMs, engineMs),
    keepPerCell: cellLimit + 16 + longestSecret(),
    maxRows: sampledRows,
  };
  try {
    await backend.read(request, sink, options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return [`no sample: ${error.message}`.replaceAll('\n', ' ')];
  }
  const { body, shownRows } = sink.finish();
  return shownRows === 0 ? ['no rows'] : body.trimEnd().split('\n');
}
