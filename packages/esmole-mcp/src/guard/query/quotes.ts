import { type Dialect, type Scanner, type Token, UnreadableQuery } from './scanner.ts';

type Quoted = Omit<Token, 'at'>;

/** The meaning of a backslash between quotes. It is refused where clusters differ about it. */
type Backslash = 'plain' | 'escapes' | 'refused';

/** Quotes that are doubled to have one in between. */
function readDoubled(scanner: Scanner, kind: 'text' | 'name', backslash: Backslash): Quoted {
  const { text, at: from, char: quote } = scanner;
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '\\' && backslash === 'refused') throw new UnreadableQuery('a backslash between quotes', at);
    if ((char === '\\' && backslash === 'escapes') || (char === quote && text[at + 1] === quote)) at++;
    else if (char === quote) {
      scanner.at = at + 1;
      return { kind, value: text.slice(from + 1, at).replaceAll(quote + quote, quote) };
    }
  }
  throw new UnreadableQuery('an unclosed quote', from);
}

const reader = (kind: 'text' | 'name', backslash: Backslash) => (scanner: Scanner) => readDoubled(scanner, kind, backslash);

/** `"…"` with escapes, or `"""…"""` without; both on one line. */
function readEsqlText(scanner: Scanner): Quoted {
  return scanner.text.startsWith('"""', scanner.at) ? readTriple(scanner) : readEscaped(scanner);
}

function readEscaped(scanner: Scanner): Quoted {
  const { text, at: from } = scanner;
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '\n' || char === '\r') break;
    if (char === '\\') at++;
    else if (char === '"') {
      scanner.at = at + 1;
      return { kind: 'text', value: text.slice(from + 1, at) };
    }
  }
  throw new UnreadableQuery('a quote that is not closed on the same line', from);
}

/** Up to two more quotes after the closing ones belong to the text. */
function readTriple(scanner: Scanner): Quoted {
  const { text, at } = scanner;
  const end = text.indexOf('"""', at + 3);
  if (end === -1 || /[\r\n]/.test(text.slice(at, end))) throw new UnreadableQuery('""" that is not closed on the same line', at);
  scanner.at = end + 3;
  while (scanner.char === '"' && scanner.at < end + 5) scanner.at++;
  return { kind: 'text', value: text.slice(at + 3, scanner.at - 3) };
}

function refuseQuote({ at, char }: Scanner): never {
  throw new UnreadableQuery(`a ${char} where texts are written in double quotes`, at);
}

const backtick = { '`': reader('name', 'plain') };

export const esqlDialect: Dialect = {
  lineComments: ['//'],
  refusesComments: false,
  quotes: { ...backtick, '"': readEsqlText, "'": refuseQuote },
};

/** PromQL inside of ES|QL, where a plain name may have quotes, backticks and # in it: then they begin nothing. */
export const promqlDialect: Dialect = {
  lineComments: ['//', '#'],
  refusesComments: true,
  quotes: { '"': readEsqlText, "'": refuseQuote, '`': refuseQuote },
};

export const sqlDialect: Dialect = {
  lineComments: ['--'],
  refusesComments: false,
  quotes: { ...backtick, '"': reader('name', 'plain'), "'": reader('text', 'plain') },
};

/** OpenSearch reads SQL in two ways, one after the other, which differ in comments and backslashes. */
export const openSearchSqlDialect: Dialect = {
  lineComments: ['--', '#'],
  refusesComments: true,
  quotes: { '`': reader('name', 'refused'), '"': reader('name', 'refused'), "'": reader('text', 'refused') },
};

/** Older versions have no comments. */
export const pplDialect: Dialect = {
  lineComments: ['//'],
  refusesComments: true,
  quotes: { '`': reader('name', 'refused'), '"': reader('text', 'escapes'), "'": reader('text', 'escapes') },
};
