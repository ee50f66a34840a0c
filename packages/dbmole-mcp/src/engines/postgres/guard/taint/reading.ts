import { type Body, longestBody } from './bodies.ts';
import { type BodyUses, readBody } from './body.ts';
import { type Dynamic, readDynamic, runners, type Verdict } from './dynamic.ts';
import { variableHole } from './pieces.ts';
import { takesAnyType } from './polymorphic.ts';
import { tokenize } from './tokens.ts';
import { addTextCasts, addUse, Uses } from './uses.ts';

/** What a body comes to. */
export interface BodyReading {
  readonly uses: Uses;
  /** The first command in it that a read-only transaction does not stop. */
  readonly command: string | undefined;
  readonly verdict: Verdict;
  /** It runs SQL that whoever calls it passes to it. */
  readonly given: boolean;
  /** It reads columns by names that it is told. */
  readonly fields: boolean;
  /** Some of it is in too many strings. */
  readonly tooDeep: boolean;
  /** It works on values whose types its text does not tell. */
  readonly anyType: boolean;
  /** Of `uses`, what SQL says that reads relations by names it is told: those values can be of any type. */
  readonly named: Uses;
}

/** Reads each body once, and only those that somebody has reason to ask for: most of them name nothing of interest. */
export class BodyReader {
  readonly #readings = new Map<Body, BodyReading>();
  readonly #lowered = new Map<Body, string>();
  /** Every field may be a call: rows are cast to something else. */
  readonly #anyField: boolean;

  constructor(anyField: boolean) {
    this.#anyField = anyField;
  }

  read(body: Body): BodyReading {
    const known = this.#readings.get(body);
    if (known !== undefined) return known;
    const reading = readText(body, this.#anyField);
    this.#readings.set(body, reading);
    return reading;
  }

  /** Whether a name can be in it at all; escapes can hide one, and so can what is put together. */
  mayName(body: Body, name: string): boolean {
    const text = this.#lowered.get(body) ?? body.text.toLowerCase();
    this.#lowered.set(body, text);
    const written = name.toLowerCase().replaceAll('"', '""');
    return text.includes(written) || hidesNames(text);
  }
}

const hiding = new RegExp(`u&|\\\\|execute|${[...runners].join('|')}`);

function hidesNames(text: string): boolean {
  return hiding.test(text);
}

export function readText(
  { language, text, settings, parameters, member }: Pick<Body, 'language' | 'text' | 'settings' | 'parameters' | 'member'>,
  anyField: boolean,
): BodyReading {
  const isSql = language === 'sql' || language === 'plpgsql';
  // In other languages, and with other strings, what looks like a comment may be code.
  const comments = !isSql || settings.includes('standard_conforming_strings');
  const tokens = tokenize(text, { comments });
  // PL/pgSQL knows which of its variables have fields.
  const values = language === 'sql' ? parameters.filter(({ row }) => row !== true).map(({ name }) => name) : [];
  const { uses, commands, tooDeep } = readBody(tokens, { code: true, comments, anyField, values });
  for (const { type } of parameters) readType(type, uses);
  const dynamic = isSql ? readDynamic(tokens, parameters, anyField) : readForeign({ text, parameters }, uses);
  const built = new Uses();
  for (const known of dynamic.known) mergeUses(built, known.uses);
  mergeUses(uses, built);
  for (const each of [uses, built]) addTextCasts(each);
  const unreadable = text.length > longestBody || /\buescape\b/i.test(text);
  const verdict = unreadable ? 'anything' : dynamic.verdict;
  return {
    uses,
    command: [...commands, ...dynamic.known.flatMap((known) => [...known.commands])][0],
    verdict: member ? 'fixed' : verdict,
    given: dynamic.given && !member,
    fields: dynamic.fields,
    tooDeep: tooDeep || dynamic.known.some((known) => known.tooDeep),
    anyType: takesAnyType(parameters) || (verdict !== 'fixed' && /\brecord\b/i.test(text)),
    named: dynamic.verdict === 'fixed' ? new Uses() : built,
  };
}

/** What the arguments are is not said in the text: `schema."Name"[]`. */
function readType(type: string, uses: Uses): void {
  for (const { kind, text } of tokenize(type)) {
    if (kind !== 'word' && kind !== 'quoted') continue;
    addUse(uses.types, text, { schema: undefined });
    addUse(uses.relations, text, { schema: undefined });
  }
}

/** Whatever is not one string without anything in it, or a plan that was prepared. */
const putsTogether =
  /\b(?:spi_(?!fetchrow|exec_prepared|query_prepared|execp|freeplan|cursor_close)\w+|execute|prepare|cursor)\b(?!\s*\(\s*(?:'[^'\\]*'\s*[,)]|\[|\)))/i;

/** PL/Perl, PL/v8, PL/Tcl: every word may be a call, and SQL goes through a few functions of theirs. */
function readForeign({ text, parameters }: Pick<Body, 'text' | 'parameters'>, uses: Uses): Dynamic {
  for (const [word] of text.matchAll(/[a-z_]\w*/gi)) {
    addUse(uses.functions, word.toLowerCase(), { schema: undefined });
    addUse(uses.relations, word.toLowerCase(), { schema: undefined });
  }
  const runs = /\bspi_|\bplv8\b|\bexecute\b/i.test(text);
  const given = putsTogether.test(text) && parameters.some(({ type }) => variableHole(type) === 'any');
  return { verdict: runs ? 'anything' : 'fixed', given, fields: false, known: [] };
}

function mergeUses(into: Uses, from: BodyUses['uses']): void {
  for (const kind of ['functions', 'relations', 'types', 'operators', 'fields'] as const)
    for (const [name, uses] of from[kind]) for (const use of uses) addUse(into[kind], name, use);
}
