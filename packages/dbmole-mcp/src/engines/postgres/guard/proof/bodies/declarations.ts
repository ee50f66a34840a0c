import type { Token } from '../../thread/parser.ts';

/**
 * The PL/pgSQL parser has no catalog. It treats a variable of an unknown type as a row, drops the default of a row, and rejects a row in a
 * list after INTO. So `x mood not null := f()` becomes `x int; mole_1 mood; mole_2 int not null := f()`: the variable gets a type that
 * fits its use, and the default is reported. Nothing is removed, so a text that only resembles a declaration cannot hide code: at worst
 * it does not parse.
 */
export function declareForParser(
  body: string,
  tokens: readonly Token[],
  withFields: ReadonlySet<string>,
): { text: string; types: readonly string[] } {
  const bytes = Buffer.from(body);
  const types: string[] = [];
  const insertions: { at: number; text: string }[] = [];
  for (const declaration of findDeclarations(tokens)) {
    for (const cursorType of findCursorTypes(declaration)) types.push(cursorType);
    const { type, rest } = readDeclaration(declaration);
    const [name] = declaration;
    if (name === undefined || type.length === 0) continue;
    const declared = formatType(type);
    types.push(declared);
    const kind = findKind(declared, withFields.has(fold(name.text)));
    insertions.push({ at: name.end, text: ` ${kind}; mole_${insertions.length} ` });
    if (rest !== undefined) insertions.push({ at: rest.start, text: `; mole_${insertions.length} int ` });
  }
  return { text: insertAll(bytes, insertions), types };
}

/** Names that are followed by a dot: a variable among them is a row. */
export function findNamesWithFields(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.flatMap(({ text }, i) => (tokens[i + 1]?.text === '.' ? [fold(text)] : [])));
}

/** A type that lets the parser accept how the variable is used. */
export function findKind(type: string, hasFields: boolean): string {
  if (/^(?:pg_catalog\s*\.\s*)?refcursor$/i.test(type)) return 'refcursor';
  return hasFields || type.toLowerCase() === 'record' ? 'some_row' : 'int';
}

/** The tokens of possible declarations, without the semicolons. A section ends at the BEGIN that follows a semicolon. */
function findDeclarations(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const found: Token[][] = [];
  let isInside = false;
  let current: Token[] = [];
  const finish = () => {
    if (current.length > 0) found.push(current);
    current = [];
  };
  for (const [i, token] of tokens.entries()) {
    const word = token.text.toLowerCase();
    const before = tokens[i - 1]?.text.toLowerCase();
    if (word === 'declare') {
      finish();
      isInside = true;
    } else if (isInside && word === 'begin' && (before === ';' || before === 'declare')) isInside = false;
    else if (isInside && word === ';') finish();
    else if (isInside) current.push(token);
  }
  finish();
  return found;
}

interface Declaration {
  /** Empty for cursors and aliases. */
  readonly type: readonly Token[];
  /** The first token of NOT NULL and the default. */
  readonly rest: Token | undefined;
}

function readDeclaration([, ...rest]: readonly Token[]): Declaration {
  const words = rest.map(({ text }) => text.toLowerCase());
  if (['alias', 'cursor', 'scroll', 'no'].includes(words[0] ?? '')) return { type: [], rest: undefined };
  const from = words[0] === 'constant' ? 1 : 0;
  const end = words.findIndex((word) => ['not', ':=', '=', 'default'].includes(word));
  const before = rest.slice(from, end < 0 ? rest.length : end);
  const collated = words.slice(from).indexOf('collate');
  return { type: before.slice(0, collated < 0 ? before.length : collated), rest: rest[end] };
}

/** Leaves out the comments between the tokens. */
function formatType(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(' ');
}

/** The types of `c cursor (a int, b shop.mood) for …`. A comma can also be part of a type, as in `numeric(4, 2)`. */
function findCursorTypes([, ...rest]: readonly Token[]): readonly string[] {
  if (!/^(?:cursor|scroll|no)$/i.test(rest[0]?.text ?? '')) return [];
  // A parameter may be called `is`, which follows the list as well.
  const opened = rest.findIndex(({ text }) => /^cursor$/i.test(text)) + 1;
  if (rest[opened]?.text !== '(') return [];
  return splitParameters(rest.slice(opened + 1)).flatMap(([, ...type]) => (type.length === 0 ? [] : [formatType(type)]));
}

/** Stops at the parenthesis that closes the list. */
function splitParameters(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const parameters: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.text === '(') depth++;
    else if (token.text === ')' && --depth < 0) break;
    if (token.text === ',' && depth === 0) parameters.push([]);
    else parameters.at(-1)?.push(token);
  }
  return parameters;
}

function insertAll(bytes: Buffer, insertions: readonly { at: number; text: string }[]): string {
  let from = 0;
  const parts = insertions.map(({ at, text }) => {
    const before = bytes.toString('utf8', from, at);
    from = at;
    return before + text;
  });
  return parts.join('') + bytes.toString('utf8', from);
}

function fold(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase();
}
