import type { Node } from 'jsonc-parser';

/**
 * Changes of one member of an object in a JSON text with comments. Everything around it stays as the person wrote it, to the byte,
 * and taking away what was added gives the text that was there: a library that formats would format its neighbours as well.
 */
export interface Member {
  key: string;
  value: unknown;
}

/** Of several with one name the last, as every reader of JSON takes it. */
export function memberOf(object: Node, key: string): Node | undefined {
  return object.children?.findLast((member) => member.children?.[0]?.value === key);
}

export function setMember(text: string, object: Node, { key, value }: Member): string {
  const layout = layoutOf(text, object);
  const written = formatValue(value, layout);
  const old = memberOf(object, key)?.children?.[1];
  if (old !== undefined) return text.slice(0, old.offset) + written + text.slice(endOf(old));
  return insertLast(text, object, { layout, member: `${JSON.stringify(key)}: ${written}` });
}

export function removeMember(text: string, object: Node, key: string): string {
  const members = object.children ?? [];
  const member = memberOf(object, key);
  if (member === undefined) return text;
  const index = members.indexOf(member);
  const [previous, next] = [members[index - 1], members[index + 1]];
  const before = gapOf(text, previous === undefined ? object.offset + 1 : endOf(previous), member.offset);
  const after = gapOf(text, endOf(member), next?.offset ?? closeOf(object));
  const rest = text.slice(after.comma === undefined ? endOf(member) : after.comma + 1);
  const kept = text.slice(0, before.end);
  if (members.length === 1 && kept.length === object.offset + 1 && /^\s*\}/.test(rest)) return kept + rest.trimStart();
  // The comma in front of the last one goes with it, and nothing comes to stand behind a comment that ends with its line.
  const start = after.comma === undefined && before.comma !== undefined ? without(kept, before.comma) : kept;
  return before.endsLine && !/^[ \t]*\r?\n/.test(rest) ? `${start}\n${rest}` : start + rest;
}

interface Insertion {
  layout: Layout;
  member: string;
}

/** Behind the comments that are there already: they belong to what stands before them. */
function insertLast(text: string, object: Node, { layout, member }: Insertion): string {
  const last = object.children?.at(-1);
  const from = last === undefined ? object.offset + 1 : endOf(last);
  const { comma, end } = gapOf(text, from, closeOf(object));
  const isTight = last === undefined && !text.slice(end, closeOf(object)).includes('\n');
  const addition = [layout.lead, member, comma === undefined ? '' : ',', isTight ? layout.eol + layout.outer : ''].join('');
  const comesAfter = last !== undefined && comma === undefined;
  return text.slice(0, from) + (comesAfter ? ',' : '') + text.slice(from, end) + addition + text.slice(end);
}

interface Layout {
  eol: string;
  /** One step inwards; empty in an object that stands on one line. */
  unit: string;
  /** In front of a member. */
  lead: string;
  indent: string;
  /** In front of the closing brace. */
  outer: string;
}

/** As the file is written already. */
function layoutOf(text: string, object: Node): Layout {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const [first] = object.children ?? [];
  const outer = indentAt(text, object.offset);
  if (first !== undefined && !text.slice(object.offset, endOf(object)).includes('\n'))
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
  /** Behind its last comment or comma. */
  end: number;
  /** It ends with a comment that goes to the end of its line. */
  endsLine: boolean;
}

/** What stands between two members, where there are only blanks, comments and a comma. */
function gapOf(text: string, from: number, to: number): Gap {
  const parts = [...text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,/g)];
  const comma = parts.find(([part]) => part === ',');
  const last = parts.at(-1);
  return {
    comma: comma === undefined ? undefined : from + comma.index,
    end: last === undefined ? from : from + last.index + last[0].length,
    endsLine: last?.[0].startsWith('//') === true,
  };
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function closeOf(object: Node): number {
  return endOf(object) - 1;
}

function without(text: string, index: number): string {
  return text.slice(0, index) + text.slice(index + 1);
}
