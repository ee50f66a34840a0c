import { createHash } from 'node:crypto';
import { Turns } from '@dbmole/core';
import { groupBy } from '../answer/group-by.ts';
import { isObject } from '../search/hit-table.ts';
import { createNameRoom, type Field, flattenMapping } from './flatten.ts';

/** Indices of which all that is shown is the same. */
export interface MappingGroup {
  indices: readonly string[];
  fields: readonly Field[];
}

/** The answer names concrete indices, never the aliases or patterns of the request. */
export async function groupMappings(json: unknown): Promise<MappingGroup[]> {
  const mappings = Object.entries(isObject(json) ? json : {}).map(([index, value]) => ({
    index,
    mapping: isObject(value) ? value.mappings : undefined,
  }));
  const room = createNameRoom();
  // Most are the same to the letter, and are not taken apart again.
  const alike = await groupAlike(mappings, ({ mapping }) => [mapping]);
  const turns = new Turns();
  const groups: MappingGroup[] = [];
  for (const members of alike) {
    groups.push({ indices: members.map(({ index }) => index), fields: await flattenMapping(members[0]?.mapping, room) });
    await turns.next();
  }
  // Groups the rest by what is shown of them.
  return (await groupAlike(groups, ({ fields }) => fields)).map((members) => ({
    indices: members.flatMap(({ indices }) => indices),
    fields: members[0]?.fields ?? [],
  }));
}

async function groupAlike<T>(items: readonly T[], listParts: (item: T) => readonly unknown[]): Promise<T[][]> {
  if (items.length < 2) return items.map((item) => [item]);
  const turns = new Turns();
  const keys = new Map<T, string>();
  for (const item of items) {
    keys.set(item, await toKey(listParts(item), turns));
  }
  return [...groupBy(items, (item) => keys.get(item)).values()];
}

async function toKey(parts: readonly unknown[], turns: Turns): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(`${JSON.stringify(part)}\n`);
    await turns.next();
  }
  return hash.digest('base64');
}
