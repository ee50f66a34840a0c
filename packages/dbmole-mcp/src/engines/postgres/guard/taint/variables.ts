import { type Hole, type Variables, variableHole } from './pieces.ts';
import { isMark, readArguments, type TokenList, takeUntil } from './token-list.ts';
import type { BodyToken } from './tokens.ts';

export interface Parameter {
  readonly name: string;
  readonly type: string;
}

/** After these a statement of PL/pgSQL begins, or an EXECUTE in one. */
const before = new Set([';', 'begin', 'then', 'else', 'loop', '>>', 'query', 'in', 'for']);
const ends = new Set([';', 'into', 'using', 'loop']);
const semicolon = new Set([';']);
const loop = new Set(['loop']);

export function isStatementStart({ kind, text }: BodyToken): boolean {
  return kind !== 'string' && before.has(text);
}

/** What is executed or assigned. */
export function readExpression(tokens: TokenList, from: number): TokenList {
  return takeUntil(tokens, from, ends);
}

/** What is known of each variable: what its type lets through, and what is assigned to it. */
export function readVariables(tokens: TokenList, parameters: readonly Parameter[]): Variables {
  const holes = new Map<string, Hole>();
  const values = new Map<string, TokenList[]>();
  for (const [i, { name, type }] of parameters.entries()) {
    const hole = variableHole(type);
    for (const each of [`$${i + 1}`, name]) holes.set(each, hole === 'any' ? 'given' : hole);
  }
  for (const i of tokens.keys()) readOne(tokens, i, { holes, values });
  return { holes, values };
}

function readOne(tokens: TokenList, i: number, { holes, values }: Known): void {
  const { kind, text } = tokens[i] ?? {};
  if (kind === 'word' && text === 'declare') readDeclarations(tokens, i + 1, { holes, values });
  else if (kind === 'word' && text === 'into') readTargets(tokens, i + 1, holes);
  else if (kind === 'word' && (text === 'for' || text === 'foreach')) readLoop(tokens, i + 1, holes);
  else if (kind === 'word' && text === 'call') readCall(tokens, i, holes);
  else if (kind === 'word' && text === 'diagnostics') readDiagnostics(tokens, i + 1, holes);
  else if (text !== undefined && isAssignment(tokens, i)) addValue(values, text, readExpression(tokens, i + 2));
}

interface Known {
  readonly holes: Map<string, Hole>;
  readonly values: Map<string, TokenList[]>;
}

/** `name [constant] type [… default expression];` up to BEGIN. */
function readDeclarations(tokens: TokenList, from: number, known: Known): void {
  for (let at = from; at < tokens.length && tokens[at]?.text !== 'begin'; ) {
    const declaration = takeUntil(tokens, at, semicolon);
    const [name, second] = declaration;
    // Whoever writes to the one changes the other.
    if (second?.text === 'alias') setHoles([name?.text ?? '', declaration.at(-1)?.text ?? ''], 'any', known.holes);
    else if (name !== undefined) readDeclaration(name.text, declaration.slice(1), known);
    at += declaration.length + 1;
  }
}

function readDeclaration(name: string, declaration: TokenList, { holes, values }: Known): void {
  const [first, second] = declaration;
  const type = first?.text === 'constant' ? second : first;
  // The first word of `table.column%type` is no type.
  const isCopied = declaration.some(({ kind, text }) => kind === 'operator' && text === '%');
  declare(name, isCopied ? 'any' : variableHole(type?.text ?? ''), { holes, values });
  const equals = declaration.findIndex(({ text }) => text === ':=' || text === '=' || text === 'default');
  if (equals >= 0) addValue(values, name, declaration.slice(equals + 1));
}

/** A name that is declared twice can be either. */
function declare(name: string, hole: Hole, { holes, values }: Known): void {
  const known = holes.get(name);
  if (known === 'given') return;
  if (known !== undefined && known !== hole) holes.set(name, 'any');
  else if (hole !== 'any') holes.set(name, values.has(name) ? 'any' : hole);
  else addValue(values, name, [{ kind: 'string', text: '' }]);
}

/** Whole numbers are what they are; rows and elements can be anything. */
function readLoop(tokens: TokenList, at: number, holes: Map<string, Hole>): void {
  const range = takeUntil(tokens, at, loop).some(({ text }) => text === '..');
  setHoles(readList(tokens, at), range ? 'value' : 'any', holes);
}

function isAssignment(tokens: TokenList, i: number): boolean {
  const [name, equals, last] = [tokens[i], tokens[i + 1], tokens[i - 1]];
  if (name?.kind !== 'word' && name?.kind !== 'quoted') return false;
  return equals?.text === ':=' || (equals?.text === '=' && last !== undefined && isStatementStart(last));
}

/** What is read from a table into a text variable can be anything. */
function readTargets(tokens: TokenList, from: number, holes: Map<string, Hole>): void {
  setHoles(readList(tokens, tokens[from]?.text === 'strict' ? from + 1 : from), 'any', holes);
}

/** A procedure can give its arguments back as others. */
function readCall(tokens: TokenList, i: number, holes: Map<string, Hole>): void {
  const open = tokens.findIndex((token, at) => at > i && isMark(token, '('));
  if (open < 0) return;
  const words = readArguments(tokens, open)
    .args.flat()
    .map(({ text }) => text);
  setHoles(words, 'any', holes);
}

/** `get stacked diagnostics name = message_text, …`: a message can be anything. */
function readDiagnostics(tokens: TokenList, from: number, holes: Map<string, Hole>): void {
  const items = takeUntil(tokens, from, semicolon);
  const names = items.filter((_, i) => ['=', ':='].includes(items[i + 1]?.text ?? '')).map(({ text }) => text);
  setHoles(names, 'any', holes);
}

/** A type that lets nothing through still does not. */
function setHoles(names: readonly string[], hole: Hole, holes: Map<string, Hole>): void {
  for (const name of names) if (!holes.has(name)) holes.set(name, hole);
}

function readList(tokens: TokenList, from: number): string[] {
  const names: string[] = [];
  for (let at = from; at < tokens.length; at += 2) {
    names.push(tokens[at]?.text ?? '');
    if (tokens[at + 1]?.text !== ',') break;
  }
  return names;
}

function addValue(values: Map<string, TokenList[]>, name: string, value: TokenList): void {
  const known = values.get(name);
  if (known === undefined) values.set(name, [value]);
  else known.push(value);
}
