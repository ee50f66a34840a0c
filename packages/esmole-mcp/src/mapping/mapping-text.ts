import { Turns } from '@dbmole/core';
import { formatNames } from '../indices/name-pattern.ts';
import type { Field } from './flatten.ts';
import type { MappingSection, MergedMappings } from './merge-mappings.ts';

export interface MappingPage {
  /** Says how much there is and how to read on. */
  line: string;
  text: string;
}

/** Characters of the fields of one page. */
const pageRoom = 6_500;
/** The type is at the end of the line, so it is repeated after this many characters. */
const lineLength = 240;
/** With so many fields, it matters which of them documents have. */
export const manyFields = 150;
/** Characters of what takes the place of fields that no document has, at least. */
const minSummary = 200;

/**
 * Formats one page of the fields of all sections. Fields of the same type are on one line: `a, b: keyword`. Where the fields that no
 * document has do not fit below the others, they are only counted; the next page lists them.
 */
export async function formatMapping(merged: MergedMappings, offset: number, reserve = 0): Promise<MappingPage> {
  const { sections } = merged;
  const total = countFields(sections);
  const unused = sections.filter(({ isUnused }) => isUnused === true);
  const start = total - countFields(unused);
  const page = await fillPage(sections, { offset, room: pageRoom - reserve });
  if (page.shownTo === total || offset >= start || page.shownTo < start) return finishPage(merged, { ...page, offset, total });
  const known = sections.filter(({ isUnused }) => isUnused !== true);
  const main = await fillPage(known, { offset, room: pageRoom - reserve });
  const summary = main.room < minSummary ? [] : [formatSummary(unused, start, main.room)];
  return finishPage(merged, { blocks: [...main.blocks, ...summary], shownTo: start, offset, total });
}

function countFields(sections: readonly MappingSection[]): number {
  return sections.reduce((sum, { fields }) => sum + fields.length, 0);
}

interface FilledPage {
  readonly blocks: readonly string[];
  readonly shownTo: number;
  /** Characters that are left. */
  readonly room: number;
}

async function fillPage(
  sections: readonly MappingSection[],
  { offset, room: whole }: { offset: number; room: number },
): Promise<FilledPage> {
  const blocks: string[] = [];
  let room = whole;
  let at = 0;
  let shownTo = offset;
  const turns = new Turns();
  for (const section of sections) {
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
  return { blocks, shownTo, room };
}

/** The objects at the top that have them, largest first. */
function formatSummary(unused: readonly MappingSection[], start: number, room: number): string {
  const counts = new Map<string, number>();
  for (const { fields } of unused)
    for (const { name } of fields) {
      const object = name.includes('.') ? `${name.slice(0, name.indexOf('.'))}.*` : name;
      counts.set(object, (counts.get(object) ?? 0) + 1);
    }
  const shown = [...counts].toSorted(([, a], [, b]) => b - a).map(([name, count]) => `${quote(name)} (${count})`);
  const head = `in no document (${countFields(unused)} fields, listed with offset=${start}):\n`;
  let length = head.length + 40;
  const fitting = shown.filter((text) => {
    length += text.length + 2;
    return length < room;
  });
  const more = fitting.length < shown.length ? `, and ${shown.length - fitting.length} more` : '';
  return `${head}${fitting.join(', ')}${more}`;
}

interface Extent {
  blocks: readonly string[];
  offset: number;
  shownTo: number;
  total: number;
}

function finishPage(merged: MergedMappings, { blocks, ...extent }: Extent): MappingPage {
  const { total } = extent;
  return { line: formatLine(merged, extent), text: total === 0 ? 'no fields' : blocks.join('\n\n') };
}

function formatLine({ indices, used, hidden }: MergedMappings, { offset, shownTo, total }: Omit<Extent, 'blocks'>): string {
  const where = indices.length > 1 ? ` of ${formatNames(indices)}` : '';
  const isAll = offset === 0 && shownTo >= total;
  const range = isAll ? `${total} field${total === 1 ? '' : 's'}` : `Fields ${offset + 1}-${shownTo} of ${total}`;
  const more = shownTo < total ? `; more: same call with offset=${shownTo}, or fields=part.*` : '';
  return `${range}${where}${more}.${offset > 0 ? '' : formatUsed(used, hidden, total)}`;
}

function formatUsed(used: number | undefined, hidden: number, total: number): string {
  if (hidden > 0) return ` ${hidden} more are in no document.`;
  if (used === undefined && total >= manyFields) return ' populated=true leaves out those that no document has.';
  if (used === undefined || used === total) return '';
  return ` Fields that documents have come first (${used}).`;
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
