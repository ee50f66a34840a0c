import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { Failure } from '../../failure.ts';
import { insertElement, readMember, removeMember, removePart, setMember } from './json-edit.ts';

/** In the words of our own files, by the parser's names. */
const mistakes: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a value; write strings in double quotes',
  InvalidNumberFormat: 'this number is not one of JSON',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon after the key',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'expected a comma or }',
  CloseBracketExpected: 'expected a comma or ]',
  EndOfFileExpected: 'there is more text after the end of the JSON value',
  UnexpectedEndOfComment: 'this comment has no end',
  UnexpectedEndOfString: 'this text has no closing quote',
  UnexpectedEndOfNumber: 'this number is not complete',
  InvalidUnicode: 'this escape is not one of JSON',
  InvalidEscapeCharacter: 'this escape is not one of JSON',
  InvalidCharacter: 'this text holds a character that must be escaped',
};

/** What a client's file says of one server. */
export function readJsonEntry(text: string, path: readonly [string, string], where: string): unknown {
  const node = valueAt(parse(text, where), path, where);
  return node === undefined ? undefined : getNodeValue(node);
}

interface JsonPlace {
  text: string;
  /** The section, and the server's name in it. */
  path: readonly [string, string];
  /** The file, as shown to the user. */
  where: string;
}

/** Undefined takes the entry away, and its section when nothing else is left in it. */
export function writeJsonEntry({ text, path, where }: JsonPlace, value: unknown): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(mark.length);
  const filled = body.trim() === '' ? '{}\n' : body;
  const root = parse(filled, where);
  return root === undefined ? text : mark + changed(filled, { root, path, value, where });
}

interface ListPlace extends Pick<JsonPlace, 'text' | 'where'> {
  /** A member of the whole, which holds a list of objects with an `id`. */
  list: string;
}

/** Sets whether the list has an item of this `id`. An item that is there stays as it is; a list that becomes empty is removed. */
export function writeJsonItem({ text, list, where }: ListPlace, item: { id: string }, isWanted: boolean): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(mark.length);
  const root = parse(body, where);
  if (root === undefined) return text;
  const array = readMember(root, list)?.children?.[1];
  if (array === undefined) return isWanted ? mark + setMember(body, root, { key: list, value: [item] }) : text;
  if (array.type !== 'array') {
    if (!isWanted) return text;
    throw new Failure('config', `"${list}" in ${where} does not hold a list`, { hint: 'Nothing was changed.' });
  }
  const known = array.children?.find((element) => readMember(element, 'id')?.children?.[1]?.value === item.id);
  if ((known !== undefined) === isWanted) return text;
  if (known === undefined) return mark + insertElement(body, array, item);
  return mark + (array.children?.length === 1 ? removeMember(body, root, list) : removePart(body, array, known));
}

interface Change {
  root: Node;
  path: readonly [string, string];
  value: unknown;
  where: string;
}

function changed(text: string, { root, path, value, where }: Change): string {
  const [name, key] = path;
  const section = findSection(root, name, where);
  if (value !== undefined) {
    return section === undefined
      ? setMember(text, root, { key: name, value: { [key]: value } })
      : setMember(text, section, { key, value });
  }
  if (section === undefined || readMember(section, key) === undefined) return text;
  const isAlone = section.children?.length === 1;
  return isAlone ? removeMember(text, root, name) : removeMember(text, section, key);
}

function valueAt(root: Node | undefined, [name, key]: readonly [string, string], where: string): Node | undefined {
  const section = root && findSection(root, name, where);
  return section && readMember(section, key)?.children?.[1];
}

function findSection(root: Node, name: string, where: string): Node | undefined {
  const section = readMember(root, name)?.children?.[1];
  if (section === undefined || section.type === 'object') return section;
  throw new Failure('config', `"${name}" in ${where} does not hold an object`, { hint: 'Nothing was changed.' });
}

function parse(text: string, where: string) {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const tree = parseTree(body, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const before = body.slice(0, error.offset);
    const [line, column] = [before.split('\n').length, before.length - before.lastIndexOf('\n')];
    const what = mistakes[printParseErrorCode(error.error)] ?? 'this is not JSON';
    throw new Failure('config', `${where} is not valid JSON at line ${line}, column ${column}: ${what}`, {
      code: 'E_JSON',
      hint: `Correct line ${line} of ${where}. Nothing was changed.`,
    });
  }
  if (tree?.type !== 'object') throw new Failure('config', `${where} does not hold an object`, { hint: 'Nothing was changed.' });
  return tree;
}
