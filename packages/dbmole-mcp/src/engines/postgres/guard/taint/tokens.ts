import { cutName } from './cut-name.ts';

/** A piece of a function's body. Words are in lower case, quoted names and strings are what they stand for; long names are cut. */
export interface BodyToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'param' | 'operator' | 'mark';
  readonly text: string;
}

export interface TokenOptions {
  /** Read comments as if they were code: where strings end differently, a comment may not be one. */
  comments?: boolean;
}

interface Scan extends Required<TokenOptions> {
  readonly source: string;
  readonly tokens: BodyToken[];
}

/** One kind of lexeme: what it can begin with, how far it goes, and what it becomes. Gives where to go on. */
interface Lexeme {
  readonly first: RegExp;
  readonly whole: RegExp;
  take(scan: Scan, text: string, at: number): number;
}

/** In the order in which they are tried. */
const lexemes: readonly Lexeme[] = [
  // Other white space is a letter to the server.
  { first: /[ \t\n\r\f\v]/, whole: /[ \t\n\r\f\v]+/y, take: (_scan, text, at) => at + text.length },
  {
    first: /e/i,
    whole: /e'(?:[^'\\]|\\[\s\S]|'')*'?/iy,
    take: (scan, text, at) => push(scan, 'string', decodeEscapes(inside(text)), at + text.length),
  },
  {
    first: /u/i,
    whole: /u&'(?:[^']|'')*'?/iy,
    take: (scan, text, at) => push(scan, 'string', decodeUnicode(inside(text)), at + text.length),
  },
  {
    first: /u/i,
    whole: /u&"(?:[^"]|"")*"?/iy,
    take: (scan, text, at) => push(scan, 'quoted', cutName(decodeUnicode(inside(text))), at + text.length),
  },
  {
    first: /[a-z_\u0080-\uffff]/i,
    whole: /[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/iy,
    take: takeAs('word', (text) => cutName(toLower(text))),
  },
  { first: /'/, whole: /'(?:[^']|'')*'?/y, take: takeAs('string', inside) },
  { first: /"/, whole: /"(?:[^"]|"")*"?/y, take: takeAs('quoted', (text) => cutName(inside(text))) },
  { first: /\$/, whole: /\$\d+/y, take: takeAs('param') },
  { first: /\$/, whole: /\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy, take: takeDollars },
  { first: /\d/, whole: /\d+(?:\.\d+)?/y, take: takeAs('number') },
  {
    first: /-/,
    whole: /--[^\n\r]*/y,
    take: (scan, text, at) => (scan.comments ? push(scan, 'operator', '--', at + 2) : at + text.length),
  },
  {
    first: /\//,
    whole: /\/\*/y,
    take: (scan, text, at) => (scan.comments ? push(scan, 'operator', text, at + 2) : endOfComment(scan.source, at + 2)),
  },
  { first: /[:.]/, whole: /::|:=|\.\./y, take: takeAs('mark') },
  // A comment may begin in the middle of what looks like an operator.
  { first: /[-+*/<>=~!@#%^&|`?]/, whole: /(?:(?!--|\/\*)[-+*/<>=~!@#%^&|`?])+/y, take: takeOperator },
  { first: /[\s\S]/, whole: /[\s\S]/y, take: takeAs('mark') },
];

/** By the code of the first character; the rest are letters to the server. */
const byFirst: readonly (readonly Lexeme[])[] = Array.from({ length: 0x81 }, (_, code) =>
  lexemes.filter(({ first }) => first.test(String.fromCharCode(code))),
);

/** Never fails: what makes no sense to us makes none to the server either. */
export function tokenize(source: string, { comments = false }: TokenOptions = {}): readonly BodyToken[] {
  const scan: Scan = { source, tokens: [], comments };
  for (let at = 0; at < source.length; ) at = takeNext(scan, at);
  return scan.tokens;
}

function takeNext(scan: Scan, at: number): number {
  for (const { whole, take } of byFirst[Math.min(scan.source.charCodeAt(at), 0x80)] ?? []) {
    whole.lastIndex = at;
    const text = whole.exec(scan.source)?.[0];
    if (text !== undefined) return take(scan, text, at);
  }
  return at + 1;
}

function takeAs(kind: BodyToken['kind'], decode: (text: string) => string = (text) => text): Lexeme['take'] {
  return (scan, text, at) => push(scan, kind, decode(text), at + text.length);
}

/** The server folds the letters of ASCII alone, where names are in UTF-8. */
function toLower(word: string): string {
  return word.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** One that has nothing but signs of standard SQL in it does not end in a sign of a number: `=-1`. */
function takeOperator(scan: Scan, text: string, at: number): number {
  const operator = /[~!@#%^&|`?]/.test(text) ? text : text.slice(0, 1) + text.slice(1).replace(/[-+]+$/, '');
  return push(scan, 'operator', operator === '!=' ? '<>' : operator, at + operator.length);
}

function takeDollars(scan: Scan, tag: string, at: number): number {
  const from = at + tag.length;
  const end = scan.source.indexOf(tag, from);
  if (end < 0) return push(scan, 'string', scan.source.slice(from), scan.source.length);
  return push(scan, 'string', scan.source.slice(from, end), end + tag.length);
}

/** Strings that follow each other are one. */
function push({ tokens }: Scan, kind: BodyToken['kind'], text: string, next: number): number {
  const last = tokens.at(-1);
  if (kind === 'string' && last?.kind === 'string') tokens[tokens.length - 1] = { kind, text: last.text + text };
  else tokens.push({ kind, text });
  return next;
}

function endOfComment(source: string, from: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const found = edge.exec(source);
    if (found === null) return source.length;
    depth += found[0] === '/*' ? 1 : -1;
  }
  return edge.lastIndex;
}

/** Without the quotes and what is before them. */
function inside(text: string): string {
  const from = text.search(/['"]/) + 1;
  const quote = text.slice(from - 1, from);
  const to = text.length > from && text.endsWith(quote) ? text.length - 1 : text.length;
  return text.slice(from, to).replaceAll(quote + quote, quote);
}

const letters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function decodeEscapes(text: string): string {
  const escaped = /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([0-7]{1,3})|([\s\S]))/gi;
  return text.replaceAll(escaped, (_all, hex, short, long, octal, one) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return one === undefined ? pointOf(hex ?? short ?? long) : (letters[one] ?? one);
  });
}

/** With another escape character, a name does not decode: who reads the body looks for the word that says so. */
function decodeUnicode(text: string): string {
  return text.replaceAll(/\\(?:\+([0-9a-f]{6})|([0-9a-f]{4})|\\)/gi, (_all, long, short) =>
    long === undefined && short === undefined ? '\\' : pointOf(long ?? short),
  );
}

function pointOf(hex: string): string {
  const point = Number.parseInt(hex, 16);
  return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
}
