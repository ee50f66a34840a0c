import { respond, type ToolReply } from '@dbmole/core';
import type { Call } from '../call.ts';
import type { ListIndicesArgs } from '../tools/list-indices.ts';
import { formatIndexTable } from './index-table.ts';
import { readIndices } from './read-indices.ts';

export async function listIndices(call: Call, args: ListIndicesArgs): Promise<ToolReply> {
  const { items, missing } = await readIndices(call, args);
  const { rows, summary } = formatIndexTable(items, args);
  return respond.table(rows.finish(), { notes: [summary, ...missing] });
}
