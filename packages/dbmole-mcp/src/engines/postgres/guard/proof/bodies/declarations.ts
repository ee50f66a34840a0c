import type { Token } from '../../thread/parser.ts';

/** What only the text for the parser has, not the body. */
export interface Marks {
  /** The start of the names of variables whose default has a type. */
  readonly type: string;
  /** The start of the names of variables for defaults. */
  readonly value: string;
  /** The types of all these: a scalar, a cursor and a row. */
  readonly types: readonly [scalar: string, cursor: string, row: string];
  /** A dollar quote. */
  readonly quote: string;
}

export function createMarks(body: string): Marks {
  const text = body.toLowerCase();
  let word = 'mole';
  while (text.includes(word)) {
    if (word.length === 30) throw new Error('the body has all words');
    word = `${word}x`;
  }
  const types = [`int/*${word}*/`, `refcursor/*${word}*/`, `${word}_row`] as const;
  return { type: `${word}_type`, value: `${word}_value`, types, quote: `$${word}$` };
}

/** How variables are declared for the parser. */
export interface Guesses {
  readonly marks: Marks;
  /** Names that are followed by a dot: a variable among them is a row. */
  readonly withFields: ReadonlySet<string>;
}

/**
 * The PL/pgSQL parser has no catalog. It treats a variable of an unknown type as a row, drops the default of a row, and rejects a row in a
 * list after INTO. So `x mood not null := f()` becomes `x int; mole_type1 int := null::mood; mole_value1 int not null := f()`: the variable
 * gets a type that fits its use, and the parser gives the written type and the default as expressions.
 *
 * Where the declarations are, and which type fits, is a guess that decides nothing: no part of the body is removed, and `readPlpgsql` throws
 * where the parser's result has a row of a type that is not from here.
 */
export function declareForParser(body: string, tokens: readonly Token[], guesses: Guesses): string {
  const { type: typeName, value, types } = guesses.marks;
  const insertions = findDeclarations(tokens).flatMap((declaration, i) => {
    const { name, type, rest } = readDeclaration(declaration);
    const [first] = type;
    if (first === undefined) return [];
    const kind = findKind(type.at(-1)?.text ?? '', name, guesses);
    const text = ` ${kind}; ${typeName}${i} ${types[0]} := ${isCopied(type) ? '' : 'null::'}`;
    return [{ at: first.start, text }, ...(rest === undefined ? [] : [{ at: rest.start, text: `; ${value}${i} ${types[0]} ` }])];
  });
  return insertAll(Buffer.from(body), insertions);
}

export function findNamesWithFields(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.flatMap(({ text }, i) => (tokens[i + 1]?.text === '.' ? [fold(text)] : [])));
}

/** A type that lets the parser accept how the variable is used. */
export function findKind(type: string, name: string, { marks, withFields }: Guesses): string {
  const [scalar, cursor, row] = marks.types;
  const folded = fold(type);
  if (folded === 'refcursor') return cursor;
  return folded === 'record' || withFields.has(fold(name)) ? row : scalar;
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
  readonly name: string;
  /** The tokens of the type and its collation; none for cursors and aliases. */
  readonly type: readonly Token[];
  /** The first token of NOT NULL and the default. */
  readonly rest: Token | undefined;
}

function readDeclaration([name, ...rest]: readonly Token[]): Declaration {
  const words = rest.map(({ text }) => text.toLowerCase());
  const isOther = ['alias', 'cursor', 'scroll', 'no'].includes(words[0] ?? '');
  const from = words[0] === 'constant' ? 1 : 0;
  const end = words.findIndex((word) => ['not', ':=', '=', 'default'].includes(word));
  return {
    name: name?.text ?? '',
    type: isOther ? [] : rest.slice(from, end < 0 ? rest.length : end),
    rest: rest[end],
  };
}

/** `t.a%type` */
function isCopied(type: readonly Token[]): boolean {
  return type.some(({ text }, i) => text === '%' && /^(?:row)?type$/i.test(type[i + 1]?.text ?? ''));
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
