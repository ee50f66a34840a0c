import { Turns } from '@dbmole/core';
import { formatNames } from '../indices/name-pattern.ts';
import { isObject } from '../search/hit-table.ts';
import type { Field } from './flatten.ts';
import type { MappingGroup } from './group-mappings.ts';
import type { FieldCaps } from './read-field-caps.ts';

/** Fields that share one description. */
export interface MappingSection {
  /** Names indices. It is slow for many indices, so it is called only for what is shown. */
  title(): string;
  readonly fields: readonly Field[];
  /** No document has these fields. */
  readonly isUnused?: boolean;
}

export interface MergedMappings {
  /** Conflicts come first, and fields that no document has come last. */
  readonly sections: readonly MappingSection[];
  /** The indices of all groups. */
  readonly indices: readonly string[];
  /** Fields that documents have, if that is known. */
  readonly used: number | undefined;
  /** Fields that were left out, as no document has them. */
  readonly hidden: number;
}

interface MergeOptions {
  /** Whether some document has the field. */
  isUsed?: ((field: Field) => boolean) | undefined;
  /** Leaves the other fields out. */
  onlyUsed?: boolean;
}

interface Found {
  readonly field: Field;
  /** The groups that have the field, by how they define it. */
  readonly types: Map<string, number[]>;
}

const conflictTitle = 'differs between indices:';
/** Index names of one definition in a conflict. */
const namesShown = 5;

/** Each field once, however many mappings have it. */
export async function mergeMappings(
  groups: readonly MappingGroup[],
  { isUsed, onlyUsed = false }: MergeOptions = {},
): Promise<MergedMappings> {
  const turns = new Turns();
  const conflicts: Found[] = [];
  const used: Found[] = [];
  const unused: Found[] = [];
  for (const found of await collect(groups)) {
    const isEmpty = isUsed?.(found.field) === false;
    if (found.types.size > 1 && !(isEmpty && onlyUsed)) conflicts.push(found);
    else if (isEmpty) unused.push(found);
    else used.push(found);
    await turns.next();
  }
  return {
    sections: [
      ...(conflicts.length === 0 ? [] : [createConflictSection(conflicts, groups)]),
      ...(await listSections(used, groups, '')),
      ...(onlyUsed ? [] : await listSections(unused, groups, 'in no document')).map((one) => ({ ...one, isUnused: true })),
    ],
    indices: groups.flatMap(({ indices }) => indices),
    used: isUsed === undefined ? undefined : conflicts.length + used.length,
    hidden: onlyUsed ? unused.length : 0,
  };
}

/** Merges field capabilities, which have types without their parameters. */
export async function mergeTypes(caps: FieldCaps): Promise<MergedMappings> {
  const conflicts: Field[] = [];
  const others: Field[] = [];
  const turns = new Turns();
  for (const [name, types] of caps) {
    const known = Object.entries(types).filter(([type]) => type !== 'unmapped');
    const only = known.length === 1 ? known[0]?.[0] : undefined;
    if (known.length === 0 || name.startsWith('_') || only === 'object') continue;
    const field = createLazyField({ name, inner: [] }, () => only ?? known.map(formatType).join('; '));
    (Object.keys(types).length > 1 ? conflicts : others).push(field);
    await turns.next();
  }
  const sections = [
    { title: () => conflictTitle, fields: conflicts },
    { title: () => (conflicts.length === 0 ? '' : 'the others:'), fields: others },
  ];
  return { sections, indices: [], used: undefined, hidden: 0 };
}

function formatType([type, caps]: [string, unknown]): string {
  const { indices } = isObject(caps) ? caps : {};
  return Array.isArray(indices) ? `${type} in ${formatNames(indices.map(String), namesShown)}` : type;
}

async function collect(groups: readonly MappingGroup[]): Promise<Found[]> {
  const found = new Map<string, Found>();
  const turns = new Turns();
  for (const [at, { fields }] of groups.entries()) {
    for (const field of fields) {
      const known = found.get(field.name) ?? { field, types: new Map<string, number[]>() };
      found.set(field.name, known);
      const members = known.types.get(field.type) ?? [];
      known.types.set(field.type, members);
      // A mapping may name a field twice, as a runtime field too.
      if (members.at(-1) !== at) members.push(at);
      await turns.next();
    }
  }
  return [...found.values()];
}

function createConflictSection(conflicts: readonly Found[], groups: readonly MappingGroup[]): MappingSection {
  const fields = conflicts.map(({ field, types }) =>
    createLazyField(field, () =>
      [...types].map(([type, members]) => `${type} in ${formatNames(listIndices(members, groups), namesShown)}`).join('; '),
    ),
  );
  return { title: () => conflictTitle, fields };
}

/** Names of indices are formatted once, and only for the fields that are shown. */
function createLazyField({ name, inner }: Pick<Field, 'name' | 'inner'>, format: () => string): Field {
  let type: string | undefined;
  return {
    name,
    inner,
    get type() {
      type ??= format();
      return type;
    },
  };
}

/** Groups fields by the indices that have them; those that all have come first. */
async function listSections(found: readonly Found[], groups: readonly MappingGroup[], note: string): Promise<MappingSection[]> {
  const turns = new Turns();
  const bySet = new Map<string, { members: readonly number[]; fields: Field[] }>();
  for (const { field, types } of found) {
    const [members = []] = types.values();
    const key = members.length === groups.length ? '' : members.join(' ');
    const known = bySet.get(key) ?? { members, fields: [] };
    bySet.set(key, known);
    known.fields.push(field);
    await turns.next();
  }
  return [...bySet]
    .toSorted(([a], [b]) => Number(b === '') - Number(a === ''))
    .map(([, { members, fields }]) => ({ title: () => formatTitle(members, groups, note), fields }));
}

function formatTitle(members: readonly number[], groups: readonly MappingGroup[], note: string): string {
  if (members.length === groups.length) return note === '' ? '' : `${note}:`;
  const known = new Set(members);
  const having = listIndices(members, groups);
  const lacking = listIndices(
    [...groups.keys()].filter((at) => !known.has(at)),
    groups,
  );
  const where = having.length <= lacking.length ? `only in ${formatNames(having)}` : `not in ${formatNames(lacking)}`;
  return `${where}${note === '' ? '' : `, ${note}`}:`;
}

function listIndices(members: readonly number[], groups: readonly MappingGroup[]): string[] {
  return members.flatMap((at) => [...(groups[at]?.indices ?? [])]);
}
