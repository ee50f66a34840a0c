import { Turns } from '@dbmole/core';
import { formatNames } from '../indices/name-pattern.ts';
import type { Field } from './flatten.ts';
import type { MergedMappings } from './merge-mappings.ts';

export interface MappingPage {
  /** Says how much there is and how to read on. */
  line: string;
  text: string;
}

/** Characters of the fields of one page. */
const pageRoom = 7_200;
/** The type is at the end of the line, so it is repeated after this many characters. */
const lineLength = 240;

/** Formats one page of the fields of all sections. Fields of the same type are on one line: `a, b: keyword`. */
export async function formatMapping(merged: MergedMappings, offset: number): Promise<MappingPage> {
  const total = merged.sections.reduce((sum, { fields }) => sum + fields.length, 0);
  const blocks: string[] = [];
  let room = pageRoom;
  let at = 0;
  let shownTo = offset;
  const turns = new Turns();
  for (const section of merged.sections) {
    await turns.next();
    const first = Math.max(0, offset - at);
    at += section.fields.length;
    if (first >= section.fields.length) continue;
    const title = section.title();
    const fields = await takeFields(section.fields, { first, room: room - title.length });
    if (room < title.length && blocks.length > 0) break;
    const block = [...(title === '' ? [] : [title]), ...formatFields(fields)].join('\n');
    blocks.push(block);
    room -= block.length;
    shownTo = at - section.fields.length + first + fields.length;
    if (first + fields.length < section.fields.length) break;
  }
  const text = total === 0 ? 'no fields' : blocks.join('\n\n');
  return { line: formatLine(merged, { offset, shownTo, total }), text };
}

interface Extent {
  offset: number;
  shownTo: number;
  total: number;
}

function formatLine({ indices, used }: MergedMappings, { offset, shownTo, total }: Extent): string {
  const where = indices.length > 1 ? ` of ${formatNames(indices)}` : '';
  const isAll = offset === 0 && shownTo >= total;
  const range = isAll ? `${total} field${total === 1 ? '' : 's'}` : `Fields ${offset + 1}-${shownTo} of ${total}`;
  const more = shownTo < total ? `; more: same call with offset=${shownTo}, or fields=part.*` : '';
  const first = used === undefined || offset > 0 ? '' : ` Fields that documents have come first (${used}).`;
  return `${range}${where}${more}.${first}`;
}

/** Takes at least one field, so that each page gets further. */
async function takeFields(fields: readonly Field[], { first, room }: { first: number; room: number }): Promise<readonly Field[]> {
  const turns = new Turns();
  const seen = new Set<string>();
  let used = 0;
  let end = first;
  for (; end < fields.length; end++) {
    const field = fields[end];
    if (field === undefined) break;
    used += quote(field.name).length + 2 + (seen.has(field.type) ? 0 : field.type.length + 1);
    seen.add(field.type);
    // The types that are repeated on further lines.
    if (used * 1.08 > room && end > first) break;
    await turns.next();
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

/** Quotes a name with a character that would look like its end. */
function quote(name: string): string {
  return /[\s,:"]/.test(name) || name === '' ? JSON.stringify(name) : name;
}
