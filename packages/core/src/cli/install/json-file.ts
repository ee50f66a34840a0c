import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { Failure } from '../../failure.ts';

/** A client's file as text: comments, order and blank space stay as the person wrote them. */
export function readJsonEntry(text: string, path: readonly string[], where: string): unknown {
  const tree = parse(text, where);
  const node = tree && findNodeAtLocation(tree, [...path]);
  return node === undefined ? undefined : getNodeValue(node);
}

/** Undefined takes the entry away. */
export function writeJsonEntry(text: string, path: readonly string[], value: unknown): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(mark.length);
  const filled = body.trim() === '' ? '{}\n' : body;
  const edits = modify(filled, [...path], value, { formattingOptions: formatOf(filled) });
  return mark + applyEdits(filled, edits);
}

function parse(text: string, where: string) {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const tree = parseTree(body, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = body.slice(0, error.offset).split('\n').length;
    throw new Failure('config', `${where} cannot be read: ${printParseErrorCode(error.error)} in line ${line}`, {
      hint: 'Mend the file first; nothing was changed.',
    });
  }
  if (tree?.type !== 'object') throw new Failure('config', `${where} does not hold an object`, { hint: 'Nothing was changed.' });
  return tree;
}

/** As the file is written already. */
function formatOf(text: string) {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
