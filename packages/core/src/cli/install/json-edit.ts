import type { Node } from 'jsonc-parser';

/**
 * Changes of one member of an object in a JSON text with comments. Everything around it stays as the person wrote it, to the byte,
 * and taking away what was added gives the text that was there: a library that formats would format its neighbours as well.
 */
interface Member {
  key: string;
  value: unknown;
}

/** Returns the last of several with one name, as every reader of JSON does. */
export function readMember(object: Node, key: string): Node | undefined {
  return object.children?.findLast((member) => member.children?.[0]?.value === key);
}

export function setMember(text: string, object: Node, { key, value }: Member): string {
  const layout = readLayout(text, object);
  const written = formatValue(value, layout);
  const old = readMember(object, key)?.children?.[1];
  if (old !== undefined) return text.slice(0, old.offset) + written + text.slice(locateEnd(old));
  return insertLast(text, object, { layout, member: `${JSON.stringify(key)}: ${written}` });
}

export function removeMember(text: string, object: Node, key: string): string {
  const member = readMember(object, key);
  return member === undefined ? text : removePart(text, object, member);
}

export function insertElement(text: string, array: Node, value: unknown): string {
  const layout = readLayout(text, array);
  return insertLast(text, array, { layout, member: formatValue(value, layout) });
}

/** Removes a member of an object, or an element of an array. */
export function removePart(text: string, whole: Node, member: Node): string {
  const members = whole.children ?? [];
  const index = members.indexOf(member);
  const [previous, next] = [members[index - 1], members[index + 1]];
  const before = findGap(text, previous === undefined ? whole.offset + 1 : locateEnd(previous), member.offset);
  const after = findGap(text, locateEnd(member), next?.offset ?? findClose(whole));
  const rest = text.slice(after.comma === undefined ? locateEnd(member) : after.comma + 1);
  const kept = text.slice(0, before.end);
  if (members.length === 1 && kept.length === whole.offset + 1 && /^\s*[}\]]/.test(rest)) return kept + rest.trimStart();
  // The comma in front of the last one goes with it, and nothing ends up in a comment that extends to the end of its line.
  const start = after.comma === undefined && before.comma !== undefined ? without(kept, before.comma) : kept;
  return before.endsLine && !/^[ \t]*\r?\n/.test(rest) ? `${start}\n${rest}` : start + rest;
}

interface Insertion {
  layout: Layout;
  member: string;
}

/** Inserts after the existing comments: they belong to what precedes them. */
function insertLast(text: string, object: Node, { layout, member }: Insertion): string {
  const last = object.children?.at(-1);
  const from = last === undefined ? object.offset + 1 : locateEnd(last);
  const { comma, end } = findGap(text, from, findClose(object));
  const isTight = last === undefined && !text.slice(end, findClose(object)).includes('\n');
  const addition = [layout.lead, member, comma === undefined ? '' : ',', isTight ? layout.eol + layout.outer : ''].join('');
  const comesAfter = last !== undefined && comma === undefined;
  return text.slice(0, from) + (comesAfter ? ',' : '') + text.slice(from, end) + addition + text.slice(end);
}

interface Layout {
  eol: string;
  /** One step inwards; empty in an object on one line. */
  unit: string;
  /** The text in front of a member. */
  lead: string;
  indent: string;
  /** The text in front of the closing brace. */
  outer: string;
}

/** Follows the layout that the file already has. */
function readLayout(text: string, object: Node): Layout {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const [first] = object.children ?? [];
  const outer = indentAt(text, object.offset);
  if (first !== undefined && !text.slice(object.offset, locateEnd(object)).includes('\n'))
    return { eol, unit: '', lead: ' ', indent: outer, outer };
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const isOnOwnLine = first !== undefined && /\n[ \t]*$/.test(text.slice(object.offset, first.offset));
  const indent = isOnOwnLine ? indentAt(text, first.offset) : outer + unit;
  return { eol, unit, lead: eol + indent, indent, outer };
}

function formatValue(value: unknown, { eol, unit, indent }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent);
}

/** What its line begins with. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

interface Gap {
  comma: number | undefined;
  /** The end of its last comment or comma. */
  end: number;
  /** It ends with a comment that goes to the end of its line. */
  endsLine: boolean;
}

/** The text between two members, where there are only blanks, comments and a comma. */
function findGap(text: string, from: number, to: number): Gap {
  const parts = [...text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,/g)];
  const comma = parts.find(([part]) => part === ',');
  const last = parts.at(-1);
  return {
    comma: comma === undefined ? undefined : from + comma.index,
    end: last === undefined ? from : from + last.index + last[0].length,
    endsLine: last?.[0].startsWith('//') === true,
  };
}

function locateEnd({ offset, length }: Node): number {
  return offset + length;
}

function findClose(object: Node): number {
  return locateEnd(object) - 1;
}

function without(text: string, index: number): string {
  return text.slice(0, index) + text.slice(index + 1);
}
