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

/** In the words of our own files, by the parser's names. */
const mistakes: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this word is no value; a text stands in double quotes',
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
    const before = body.slice(0, error.offset);
    const [line, column] = [before.split('\n').length, before.length - before.lastIndexOf('\n')];
    const what = mistakes[printParseErrorCode(error.error)] ?? 'this is not JSON';
    throw new Failure('config', `${where} is not valid JSON at line ${line}, column ${column}: ${what}`, {
      code: 'E_JSON',
      hint: `Correct line ${line} of ${where}; nothing was changed.`,
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
