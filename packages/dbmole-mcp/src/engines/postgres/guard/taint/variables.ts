import { type Hole, type Variables, variableHole } from './pieces.ts';
import { isMark, readArguments, type TokenList, takeUntil } from './token-list.ts';
import type { BodyToken } from './tokens.ts';

export interface Parameter {
  readonly name: string;
  readonly type: string;
  /** It is of a composite type. */
  readonly row?: boolean;
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
  const sources = new Map<string, TokenList[]>();
  for (const [i, { name, type }] of parameters.entries()) {
    const hole = variableHole(type);
    for (const each of [`$${i + 1}`, name]) holes.set(each, hole === 'any' ? 'given' : hole);
  }
  const known = { holes, values, sources };
  for (const i of tokens.keys()) readOne(tokens, i, known);
  return known;
}

/** What a word of PL/pgSQL says of the variables behind it. */
const readers: ReadonlyMap<string, (tokens: TokenList, at: number, known: Known) => void> = new Map([
  ['declare', (tokens, at, known) => readDeclarations(tokens, at + 1, known)],
  ['into', readTargets],
  ['for', (tokens, at, known) => readLoop(tokens, at + 1, known)],
  ['foreach', (tokens, at, known) => readLoop(tokens, at + 1, known)],
  ['call', readCall],
  ['diagnostics', (tokens, at, known) => readDiagnostics(tokens, at + 1, known)],
  ['open', readOpen],
]);

function readOne(tokens: TokenList, i: number, known: Known): void {
  const { kind, text } = tokens[i] ?? {};
  const reader = kind === 'word' ? readers.get(text ?? '') : undefined;
  if (reader !== undefined) reader(tokens, i, known);
  else if (text !== undefined && isAssignment(tokens, i)) addValue(known.values, text, readExpression(tokens, i + 2));
  else if (isElementAssignment(tokens, i)) readElement(tokens, i, known);
}

interface Known {
  readonly holes: Map<string, Hole>;
  readonly values: Map<string, TokenList[]>;
  readonly sources: Map<string, TokenList[]>;
}

/** The statement around a place, without its conditions: what they name does not come out of it. */
export function statementAround(tokens: TokenList, i: number): TokenList {
  const start = startOf(tokens, i);
  return takeUntil(tokens, start, tokens[start]?.text === 'execute' ? conditionsOfExecute : conditions);
}

function startOf(tokens: TokenList, i: number): number {
  let start = tokens.findLastIndex(({ kind, text }, at) => at < i && kind !== 'string' && breaks.has(text)) + 1;
  while (branchWords.has(tokens[start]?.text ?? '')) {
    const then = tokens.findIndex(({ kind, text }, at) => at >= start && kind === 'word' && text === 'then');
    if (then < 0 || then >= i) return start;
    start = then + 1;
  }
  return tokens[start]?.text === 'else' ? start + 1 : start;
}

const breaks = new Set([';', 'begin', 'loop', '>>']);
const branchWords = new Set(['if', 'elsif', 'elseif', 'case', 'when']);
const conditions = new Set([';', 'where', 'loop']);
const conditionsOfExecute = new Set([';', 'using', 'loop']);

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

function readDeclaration(name: string, declaration: TokenList, known: Known): void {
  const [first, second] = declaration;
  if (declaration.some(({ kind, text }) => kind === 'word' && text === 'cursor')) addValue(known.sources, name, declaration);
  const type = first?.text === 'constant' ? second : first;
  // The first word of `table.column%type` is no type.
  const isCopied = declaration.some(({ kind, text }) => kind === 'operator' && text === '%');
  declare(name, isCopied ? 'any' : variableHole(type?.text ?? ''), known);
  const equals = declaration.findIndex(({ text }) => text === ':=' || text === '=' || text === 'default');
  if (equals >= 0) addValue(known.values, name, declaration.slice(equals + 1));
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
function readLoop(tokens: TokenList, at: number, known: Known): void {
  const range = takeUntil(tokens, at, loop).some(({ text }) => text === '..');
  const names = readList(tokens, at);
  if (range) setHoles(names, 'value', known.holes);
  else setUnknown(names, takeUntil(tokens, at + names.length * 2, conditions), known);
}

function isAssignment(tokens: TokenList, i: number): boolean {
  const [name, equals, last] = [tokens[i], tokens[i + 1], tokens[i - 1]];
  if (name?.kind !== 'word' && name?.kind !== 'quoted') return false;
  return equals?.text === ':=' || (equals?.text === '=' && last !== undefined && isStatementStart(last));
}

/** `name[1] := …`: the array is then made of it, too. */
function isElementAssignment(tokens: TokenList, i: number): boolean {
  const [bracket, equals] = [tokens[i], tokens[i + 1]];
  return bracket !== undefined && isMark(bracket, ']') && (equals?.text === ':=' || equals?.text === '=');
}

function readElement(tokens: TokenList, i: number, { sources }: Known): void {
  const name = tokens[startOf(tokens, i)];
  if (name !== undefined) addValue(sources, name.text, readExpression(tokens, i + 2));
}

/** What is read from a table into a text variable can be anything. */
function readTargets(tokens: TokenList, at: number, known: Known): void {
  const names = readList(tokens, tokens[at + 1]?.text === 'strict' ? at + 2 : at + 1);
  setUnknown(names, statementAround(tokens, at), known);
}

/** What it is cannot be told, but perhaps where it comes from. */
function setUnknown(names: readonly string[], source: TokenList, { holes, sources }: Known): void {
  setHoles(names, 'any', holes);
  for (const name of names) addValue(sources, name, source);
}

function readOpen(tokens: TokenList, at: number, { sources }: Known): void {
  addValue(sources, tokens[at + 1]?.text ?? '', takeUntil(tokens, at + 2, semicolon));
}

/** A procedure can give its arguments back as others. */
function readCall(tokens: TokenList, i: number, known: Known): void {
  const open = tokens.findIndex((token, at) => at > i && isMark(token, '('));
  if (open < 0) return;
  const args = readArguments(tokens, open).args.flat();
  const words = args.map(({ text }) => text);
  setUnknown(words, args, known);
}

/** `get stacked diagnostics name = message_text, …`: a message can be anything. */
function readDiagnostics(tokens: TokenList, from: number, known: Known): void {
  const items = takeUntil(tokens, from, semicolon);
  const names = items.filter((_, i) => ['=', ':='].includes(items[i + 1]?.text ?? '')).map(({ text }) => text);
  setUnknown(names, [{ kind: 'word', text: 'sqlerrm' }], known);
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
