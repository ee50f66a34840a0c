import { type Body, longestBody } from './bodies.ts';
import { type BodyUses, readBody } from './body.ts';
import { type Dynamic, readDynamic, runners, type Verdict } from './dynamic.ts';
import { tokenize } from './tokens.ts';
import { addUse, type Uses } from './uses.ts';

/** What a body comes to. */
export interface BodyReading {
  readonly uses: Uses;
  /** The first command in it that a read-only transaction does not stop. */
  readonly command: string | undefined;
  readonly verdict: Verdict;
  /** It runs SQL that whoever calls it passes to it. */
  readonly given: boolean;
}

/** Reads each body once, and only those that somebody has reason to ask for: most of them name nothing of interest. */
export class BodyReader {
  readonly #readings = new Map<Body, BodyReading>();
  readonly #lowered = new Map<Body, string>();

  read(body: Body): BodyReading {
    const known = this.#readings.get(body);
    if (known !== undefined) return known;
    const reading = readText(body);
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

export function readText({
  language,
  text,
  settings,
  parameters,
  member,
}: Pick<Body, 'language' | 'text' | 'settings' | 'parameters' | 'member'>): BodyReading {
  const isSql = language === 'sql' || language === 'plpgsql';
  // In other languages, and with other strings, what looks like a comment may be code.
  const comments = !isSql || settings.includes('standard_conforming_strings');
  const tokens = tokenize(text, { comments });
  const { uses, commands } = readBody(tokens, { code: true, comments });
  const dynamic = isSql ? readDynamic(tokens, parameters) : readForeign(text, uses);
  for (const known of dynamic.known) {
    mergeUses(uses, known.uses);
    for (const command of known.commands) commands.add(command);
  }
  const unreadable = text.length > longestBody || /\buescape\b/i.test(text);
  const verdict = unreadable ? 'anything' : dynamic.verdict;
  return { uses, command: [...commands][0], verdict: member ? 'fixed' : verdict, given: dynamic.given && !member };
}

/** PL/Perl, PL/v8, PL/Tcl: every word may be a call, and SQL goes through a few functions of theirs. */
function readForeign(text: string, uses: Uses): Dynamic {
  for (const [word] of text.matchAll(/[a-z_]\w*/gi)) {
    addUse(uses.functions, word.toLowerCase(), { schema: undefined });
    addUse(uses.relations, word.toLowerCase(), { schema: undefined });
  }
  return { verdict: /\bspi_|\bplv8\b|\bexecute\b/i.test(text) ? 'anything' : 'fixed', given: false, known: [] };
}

function mergeUses(into: Uses, from: BodyUses['uses']): void {
  for (const kind of ['functions', 'relations', 'types', 'operators', 'fields'] as const)
    for (const [name, uses] of from[kind]) for (const use of uses) addUse(into[kind], name, use);
}
