import { formatNames } from '../indices/name-pattern.ts';
import type { Field } from './flatten.ts';
import type { MappingGroup } from './group-mappings.ts';

export interface MappingPage {
  /** Says how much there is and how to read on. */
  line: string;
  text: string;
}

/** Characters of the fields of one page. */
const pageRoom = 7_200;
/** After so many, the type is said again: it stands at the end of the line. */
const lineLength = 240;

/** One page of the fields of all groups, counted through. Fields of the same type stand together: `a, b: keyword`. */
export function formatMapping(groups: readonly MappingGroup[], offset: number): MappingPage {
  const total = groups.reduce((sum, { fields }) => sum + fields.length, 0);
  const blocks: string[] = [];
  let room = pageRoom;
  let at = 0;
  let shownTo = offset;
  for (const group of groups) {
    const first = Math.max(0, offset - at);
    at += group.fields.length;
    if (first > 0 && first >= group.fields.length) continue;
    const heading = groups.length === 1 ? [] : [`${formatNames(group.indices)}:`];
    const fields = takeFields(group.fields, { first, room: room - (heading[0]?.length ?? 0) });
    if (fields.length === 0 && group.fields.length > 0 && blocks.length > 0) break;
    const lines = [...heading, ...(group.fields.length === 0 ? ['no fields'] : formatFields(fields))];
    blocks.push(lines.join('\n'));
    room -= lines.join('\n').length;
    shownTo = at - group.fields.length + first + fields.length;
    if (first + fields.length < group.fields.length) break;
  }
  return { line: formatLine(groups, { offset, shownTo, total }), text: blocks.join('\n\n') };
}

function formatLine(
  groups: readonly MappingGroup[],
  { offset, shownTo, total }: { offset: number; shownTo: number; total: number },
) {
  const [group] = groups;
  const where =
    groups.length > 1
      ? ` of ${groups.length} mappings`
      : (group?.indices.length ?? 0) > 1
        ? ` of ${formatNames(group?.indices ?? [])}`
        : '';
  const range =
    offset === 0 && shownTo >= total ? `${total} field${total === 1 ? '' : 's'}` : `Fields ${offset + 1}-${shownTo} of ${total}`;
  const more = shownTo < total ? `; more: same call with offset=${shownTo}, or fields=part.*` : '';
  return `${range}${where}${more}.`;
}

/** At least one, so that each page gets further. */
function takeFields(fields: readonly Field[], { first, room }: { first: number; room: number }): readonly Field[] {
  const seen = new Set<string>();
  let used = 0;
  let end = first;
  for (; end < fields.length; end++) {
    const field = fields[end];
    if (field === undefined) break;
    used += quote(field.name).length + 2 + (seen.has(field.type) ? 0 : field.type.length + 1);
    seen.add(field.type);
    // The types that are said again on further lines.
    if (used * 1.08 > room && end > first) break;
  }
  return fields.slice(first, end);
}

function formatFields(fields: readonly Field[]): string[] {
  const byType = new Map<string, string[]>();
  for (const { name, type } of fields) {
    const names = byType.get(type);
    if (names === undefined) byType.set(type, [quote(name)]);
    else names.push(quote(name));
  }
  return [...byType].flatMap(([type, names]) => wrap(names).map((line) => `${line}: ${type}`));
}

function wrap(names: readonly string[]): string[] {
  const lines: string[][] = [];
  let length = lineLength;
  for (const name of names) {
    length += name.length + 2;
    if (length > lineLength) {
      lines.push([]);
      length = name.length;
    }
    lines.at(-1)?.push(name);
  }
  return lines.map((line) => line.join(', '));
}

/** What would look like the end of a name is shown as what it is. */
function quote(name: string): string {
  return /[\s,:"]/.test(name) || name === '' ? JSON.stringify(name) : name;
}
