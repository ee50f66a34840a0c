import { readArguments } from './token-list.ts';
import type { BodyToken } from './tokens.ts';

/**
 * What is put into a text at run time: a number, a date or a quoted string; a quoted name; what was there before;
 * anything, which may be code; or what the caller gives, which may be any code.
 */
export type Hole = 'value' | 'name' | 'self' | 'any' | 'given';
export type Piece = { readonly text: string } | { readonly hole: Hole };
type Pieces = readonly Piece[];

export interface Variables {
  readonly holes: ReadonlyMap<string, Hole>;
  readonly values: ReadonlyMap<string, readonly (readonly BodyToken[])[]>;
  /** Of those that can be anything: what they come from. */
  readonly sources: ReadonlyMap<string, readonly (readonly BodyToken[])[]>;
}

/** What stands in a text for a name that is not known. */
export const nameHole = '\u0001';

const unknown: readonly Pieces[] = [[{ hole: 'any' }]];
const given: readonly Pieces[] = [[{ hole: 'given' }]];
/** Of ways that an expression can come out; beyond that it is not worth it. */
const most = 24;

const inert =
  /^(?:int[248]?|integer|bigint|smallint|numeric|decimal|real|double|float[48]?|bool|boolean|oid|xid|date|time|timetz|timestamp|timestamptz|uuid)$/;
const names = /^(?:regclass|regtype|regrole|regnamespace|regconfig|regdictionary|regcollation)$/;

/** They come out as `true` or `t`, depending on who writes them. */
const constants = new Set(['true', 'false']);
/** A number that always comes out as it is written. */
const plainNumber = /^(?:0|[1-9]\d*)$/;

/** What a value of this type can bring into a text. */
export function variableHole(type: string): Hole {
  const word = type.toLowerCase().replace(/^pg_catalog\./, '');
  if (word.endsWith(']')) return 'any';
  const [first = ''] = word.split(/[ (]/);
  return inert.test(first) ? 'value' : names.test(first) ? 'name' : 'any';
}

/** All that a text expression can come out as. */
export function readPieces(
  expression: readonly BodyToken[],
  variables: Variables,
  within: readonly string[] = [],
): readonly Pieces[] {
  return new Expression(expression, variables, within).read();
}

class Expression {
  readonly #tokens: readonly BodyToken[];
  readonly #variables: Variables;
  /** Variables whose values are being read. */
  readonly #within: readonly string[];
  #at = 0;

  constructor(tokens: readonly BodyToken[], variables: Variables, within: readonly string[]) {
    this.#tokens = tokens;
    this.#variables = variables;
    this.#within = within;
  }

  read(): readonly Pieces[] {
    let ways = this.#term();
    while (this.#is('||')) {
      this.#at++;
      ways = product(ways, this.#term());
    }
    return this.#at === this.#tokens.length ? ways : this.#unknownOf(this.#tokens);
  }

  #unknownOf(tokens: readonly BodyToken[]): readonly Pieces[] {
    return mentionsGiven(tokens, this.#variables, this.#within) ? given : unknown;
  }

  #is(text: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind !== 'string' && token?.text === text;
  }

  #term(): readonly Pieces[] {
    let ways = this.#primary();
    while (this.#is('::')) {
      const type = this.#tokens[this.#at + 1]?.text ?? '';
      this.#at += 2;
      ways = cast(ways, type);
      if (!this.#is('(')) continue;
      // What is longer is cut.
      if (variableHole(type) === 'any') ways = lost(ways);
      this.#at = readArguments(this.#tokens, this.#at).end + 1;
    }
    return ways;
  }

  #primary(): readonly Pieces[] {
    const token = this.#tokens[this.#at++];
    if (token === undefined) return unknown;
    if (token.kind === 'string') return [[{ text: token.text }]];
    if (token.kind === 'number') return plainNumber.test(token.text) ? [[{ text: token.text }]] : holeOf('value');
    if (token.kind === 'param') return holeOf(this.#variables.holes.get(token.text));
    if (token.kind === 'mark' && token.text === '(') return this.#group();
    if (token.kind !== 'word' && token.kind !== 'quoted') return unknown;
    if (constants.has(token.text)) return holeOf('value');
    // Either all becomes NULL, or it is left out.
    if (token.text === 'null') return [[{ text: '' }]];
    if (this.#is('(')) return this.#call(token.text);
    if (this.#is('.')) return this.#dotted(token.text);
    return this.#variable(token.text);
  }

  #group(): readonly Pieces[] {
    const { args, end } = readArguments(this.#tokens, this.#at - 1);
    this.#at = end + 1;
    return args.length === 1 ? this.#inner(args[0] ?? []) : this.#unknownOf(args.flat());
  }

  /** `pg_catalog.format(…)`; a field of a row can be anything. */
  #dotted(schema: string): readonly Pieces[] {
    const from = this.#at - 1;
    const name = this.#tokens[this.#at + 1];
    this.#at += 2;
    if (name !== undefined && this.#is('(')) return schema === 'pg_catalog' ? this.#call(name.text) : this.#skipCall();
    while (this.#is('.')) this.#at += 2;
    // `function.parameter`, `parameter.field`.
    return this.#unknownOf(this.#tokens.slice(from, this.#at));
  }

  #skipCall(): readonly Pieces[] {
    const { args, end } = readArguments(this.#tokens, this.#at);
    this.#at = end + 1;
    return this.#unknownOf(args.flat());
  }

  #call(name: string): readonly Pieces[] {
    const { args, end } = readArguments(this.#tokens, this.#at);
    this.#at = end + 1;
    const read = args.map((arg) => this.#inner(arg));
    if (name === 'quote_ident') return (read[0] ?? unknown).map(quoteName);
    if (name === 'quote_literal' || name === 'quote_nullable') return (read[0] ?? unknown).map(quoteValue);
    if (name === 'concat') return read.reduce(product, [[]]);
    if (name === 'format') return format(read);
    return this.#unknownOf([{ kind: 'word', text: name }, ...args.flat()]);
  }

  #variable(name: string): readonly Pieces[] {
    const hole = this.#variables.holes.get(name);
    if (hole === 'any') return this.#unknownOf([{ kind: 'word', text: name }]);
    if (hole !== undefined) return holeOf(hole);
    if (this.#within.includes(name)) return holeOf(this.#within.at(-1) === name ? 'self' : 'any');
    const values = this.#variables.values.get(name);
    if (values === undefined) return this.#unknownOf([{ kind: 'word', text: name }]);
    return capped(values.flatMap((value) => readPieces(value, this.#variables, [...this.#within, name])));
  }

  #inner(tokens: readonly BodyToken[]): readonly Pieces[] {
    return readPieces(tokens, this.#variables, this.#within);
  }
}

function holeOf(hole: Hole = 'any'): readonly Pieces[] {
  return [[{ hole }]];
}

function product(left: readonly Pieces[], right: readonly Pieces[]): readonly Pieces[] {
  return capped(left.flatMap((some) => right.map((others) => [...some, ...others])));
}

function capped(ways: readonly Pieces[]): readonly Pieces[] {
  return ways.length > most ? lost(ways) : ways;
}

/** It cannot be told any more what it is, but still where it comes from. */
function lost(ways: readonly Pieces[]): readonly Pieces[] {
  return ways.flat().some((piece) => 'hole' in piece && piece.hole === 'given') ? given : unknown;
}

/** Messages and settings carry whatever was put into them. */
const carriers = new Set(['sqlerrm', 'current_setting']);

/** Whether what the caller gives can come out of it. */
export function mentionsGiven(tokens: readonly BodyToken[], variables: Variables, within: readonly string[] = []): boolean {
  const seen = new Set(within);
  const pending = [tokens];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { kind, text } of next) {
      if (kind === 'string' || seen.has(text)) continue;
      seen.add(text);
      const carries = carriers.has(text) && [...variables.holes.values()].includes('given');
      if (carries || variables.holes.get(text) === 'given') return true;
      pending.push(...(variables.values.get(text) ?? []), ...(variables.sources.get(text) ?? []));
    }
  }
  return false;
}

function cast(ways: readonly Pieces[], type: string): readonly Pieces[] {
  const hole = variableHole(type);
  const isText = type === 'text' || type === 'varchar';
  if (hole === 'any') return isText ? ways : lost(ways);
  return ways.map((pieces) => ((hole === 'name' ? isKnown(pieces) : isPlain(pieces)) ? pieces : [{ hole }]));
}

function isPlain(pieces: Pieces): boolean {
  return isKnown(pieces) && plainNumber.test(pieces.map(({ text }) => text).join(''));
}

function isKnown(pieces: Pieces): pieces is readonly { readonly text: string }[] {
  return pieces.every((piece) => 'text' in piece);
}

/** As `%I` and quote_ident write it. */
function quoteName(pieces: Pieces): Pieces {
  const text = isKnown(pieces) ? pieces.map((piece) => piece.text).join('') : undefined;
  if (text !== undefined) return [{ text: `"${text.replaceAll('"', '""')}"` }];
  return [{ hole: 'name' }];
}

/** As `%L` and quote_literal write it. */
function quoteValue(pieces: Pieces): Pieces {
  const text = isKnown(pieces) ? pieces.map((piece) => piece.text).join('') : undefined;
  return text === undefined ? [{ hole: 'value' }] : [{ text: `'${text.replaceAll("'", "''")}'` }];
}

/** What `format` makes of its template: `%I` a name, `%L` a string, `%s` the text as it is. */
function format([templates = unknown, ...args]: readonly (readonly Pieces[])[]): readonly Pieces[] {
  return capped(
    templates.flatMap((pieces) => {
      const template = isKnown(pieces) ? pieces.map(({ text }) => text).join('') : undefined;
      return template === undefined ? lost([pieces, ...args.flat()]) : fill(template, args);
    }),
  );
}

function fill(template: string, args: readonly (readonly Pieces[])[]): readonly Pieces[] {
  const spec = /%(?:(\d+)\$)?([%sIL])/g;
  let ways: readonly Pieces[] = [[]];
  let next = 0;
  let from = 0;
  for (const { 0: all, 1: number, 2: kind, index } of template.matchAll(spec)) {
    ways = product(ways, [[{ text: template.slice(from, index) }]]);
    from = index + all.length;
    if (kind === '%') {
      ways = product(ways, [[{ text: '%' }]]);
      continue;
    }
    if (number !== undefined) next = Number(number) - 1;
    const arg = args[next++] ?? unknown;
    ways = product(ways, kind === 'I' ? arg.map(quoteName) : kind === 'L' ? arg.map(quoteValue) : arg);
  }
  // A width, or what format does not have.
  if (template.replaceAll(spec, '').includes('%')) return lost(args.flat());
  return product(ways, [[{ text: template.slice(from) }]]);
}

/** A letter or a quote: what is put next to it would become a part of something longer. */
const inWord = /[\w$\u0080-\uffff"']/;
const fillings = { name: `"${nameHole}"`, value: " '' ", self: ' ' };

/** One text with something harmless in its holes; undefined when they could be code, or a part of a word. */
export function formatPieces(pieces: Pieces): string | undefined {
  let text = '';
  let touched = false;
  for (const piece of pieces) {
    if ('text' in piece && piece.text === '') continue;
    const next = 'text' in piece ? piece.text : '"';
    if (touched && inWord.test(next.charAt(0))) return undefined;
    touched = 'hole' in piece;
    if ('text' in piece) text += piece.text;
    else if (piece.hole === 'any' || piece.hole === 'given' || inWord.test(text.slice(-1))) return undefined;
    else text += fillings[piece.hole];
  }
  return text;
}
