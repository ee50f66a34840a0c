import { respond, type ToolReply, Turns } from '@dbmole/core';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import { formatUnknownIndex } from '../call/unknown-index.ts';
import { readFieldCaps } from '../mapping/read-field-caps.ts';
import type { ListIndicesArgs } from '../tools/list-indices.ts';
import { formatIndexTable, type IndexItem } from './index-table.ts';
import { readIndices } from './read-indices.ts';

export async function listIndices(call: ClusterCall, args: ListIndicesArgs): Promise<ToolReply> {
  const turns = new Turns();
  const { items, missing } = await readIndices(call, args);
  await turns.next();
  const { rows, summary } = formatIndexTable(items, args);
  const unknown = items.length === 0 && args.index !== undefined ? await formatUnknownIndex(call, args.index) : [];
  const nested = await formatNestedNote(call, args.index, items);
  return respond.table(rows.finish(), { notes: [...unknown, ...(items.length === 0 ? [] : [summary]), ...nested, ...missing] });
}

/** The cluster goes through all fields of each index for it. */
const maxIndices = 100;
const namesShown = 3;

/** A cluster counts the objects of nested fields as documents of their own: a sentence that says so, where there are any. */
async function formatNestedNote(call: ClusterCall, index: string | undefined, items: readonly IndexItem[]): Promise<string[]> {
  const count = items.reduce((sum, item) => sum + item.indices, 0);
  if (count > maxIndices || items.every(({ docs }) => docs === undefined || docs === 0)) return [];
  const caps = await readFieldCaps(call, index, { fields: '*', filter_path: 'fields.*.nested.type' });
  const names = [...(caps?.fields.keys() ?? [])];
  if (names.length === 0) return [];
  const more = names.length <= namesShown ? '' : ` and ${names.length - namesShown} more`;
  return [
    `docs also counts the objects of nested fields (${names.slice(0, namesShown).map(quoteRemoteName).join(', ')}${more}).`,
  ];
}
