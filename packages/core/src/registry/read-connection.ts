import type * as z from 'zod';
import type { BaseConnection } from '../connection.ts';
import { buildPath, flatten } from './edit/issues.ts';
import type { Origin } from './entry.ts';
import { listSecretFields, type SecretField, type SecretPlace, secretPlacesIn } from './schema-fields.ts';
import { type Environment, expandText, expandUrl, hasPlaceholder, readVariable } from './secrets/expand.ts';
import { withOpCommands } from './secrets/op-reference.ts';
import { absolutePath } from './sources/paths.ts';
import { canonical, type Fields, isPrefix, listStrings, type Path, replaceAt } from './tree.ts';

/** A connection as it is written, and where: neither expanded nor validated. */
export interface WrittenConnection {
  raw: Fields;
  origin: Origin;
  /** Relative paths in it begin here. */
  base: string;
  /** Whether `${VAR}` in it is expanded. Not in the environment's list: there the client has done it already. */
  expands: boolean;
}

/** One text of a connection that refers to variables. */
export interface Placeholder {
  path: Path;
  text: string;
  variables: readonly string[];
  unset: readonly string[];
  malformed: boolean;
}

type Fit<C> = { ok: true; config: C } | { ok: false; issues: readonly z.core.$ZodIssue[]; input: unknown };

/** What a connection means: its variables are put in and it is validated. Secrets that it refers to are not read. */
export interface ConnectionReading<C> {
  /** The connection with expanded variables; unset ones are empty. */
  value: Fields;
  placeholders: readonly Placeholder[];
  /** Variables that are not set and have no default. */
  unset: readonly string[];
  /** Where its secrets are. */
  places: readonly SecretPlace[];
  /** The connection with expanded variables; absent while one of them is unset. */
  full?: Fit<C>;
  /** The connection with its variables as they are written, wherever the schema takes a text: without a secret out of a variable. */
  shown: Fit<C>;
}

export interface ReadingRules<C extends BaseConnection> {
  schema: z.ZodType<C>;
  env: Environment;
  home: string;
  /** No connection may be written to, whatever it says itself. */
  readonly?: boolean | undefined;
}

interface Known<C> {
  reading: ConnectionReading<C>;
  /** What the variables held. */
  state: string;
}

/** Beyond it, all readings are forgotten and made again when they are needed. */
const maxReadings = 2_000;

/** Reads each connection once, however many rules ask: the call that adds it, the guard of its place, the list, and its use. */
export class ConnectionReader<C extends BaseConnection> {
  readonly #rules: ReadingRules<C>;
  #secretFields: readonly SecretField[] | undefined;
  readonly #known = new Map<string, Known<C>>();

  constructor(rules: ReadingRules<C>) {
    this.#rules = rules;
  }

  /** Whether every connection counts as read-only, whatever it says itself. */
  get isReadonly(): boolean {
    return this.#rules.readonly === true;
  }

  /** Found with the first call, which looks through the whole schema. */
  get secretFields(): readonly SecretField[] {
    this.#secretFields ??= listSecretFields(this.#rules.schema);
    return this.#secretFields;
  }

  read(written: WrittenConnection): ConnectionReading<C> {
    const { raw, origin, base, expands } = written;
    const key = canonical([raw, origin.kind === 'project', base, expands]);
    const known = this.#known.get(key);
    if (known && known.state === this.#readState(known.reading)) return known.reading;
    const reading = this.#readNow(written);
    if (this.#known.size >= maxReadings) this.#known.clear();
    this.#known.set(key, { reading, state: this.#readState(reading) });
    return reading;
  }

  /** Validates what a reading has become, for example with its secrets in place. */
  validate(input: Fields, placeholders: readonly Placeholder[], base: string): Fit<C> {
    const { schema, home } = this.#rules;
    const fit = this.#restrict(fitSchema(schema, input, placeholders));
    if (!fit.ok || fit.config.file === undefined) return fit;
    return { ok: true, config: { ...fit.config, file: absolutePath(fit.config.file, { base, home }) } };
  }

  #restrict(fit: Fit<C>): Fit<C> {
    return fit.ok && this.#rules.readonly ? { ok: true, config: { ...fit.config, readonly: true } } : fit;
  }

  #readState({ placeholders }: ConnectionReading<C>): string {
    const variables = placeholders.flatMap((placeholder) => placeholder.variables);
    return canonical(variables.map((name) => readVariable(this.#rules.env, name) ?? null));
  }

  /**
   * An `op://` text counts in a file that a person has allowed or named. In the store it may come from a tool, and a person's own
   * commands write the command into it instead.
   */
  #readNow({ raw, origin, base, expands }: WrittenConnection): ConnectionReading<C> {
    const { secretFields } = this;
    const { env, schema } = this.#rules;
    const written = origin.kind === 'project' ? withOpCommands(raw, secretFields) : raw;
    const { value, masked, placeholders } = expands
      ? expand(written, env)
      : { value: written, masked: written, placeholders: [] };
    const places = secretPlacesIn(value, secretFields);
    const unset = [...new Set(placeholders.flatMap((placeholder) => placeholder.unset))];
    const reading = { value, placeholders, unset, places };
    const full = unset.length > 0 ? undefined : this.validate(value, placeholders, base);
    if (full !== undefined && placeholders.length === 0) return { ...reading, full, shown: full };
    // A secret never replaces its placeholder here: what is listed may be shown.
    const isOpen = (one: Placeholder) => one.unset.length === 0 && !places.some(({ path }) => isPrefix(path, one.path));
    const shown = this.#restrict(fitSchema(schema, masked, placeholders.filter(isOpen)));
    return { ...reading, ...(full && { full }), shown: shown.ok ? shown : (full ?? shown) };
  }
}

interface Expanded {
  /** Everything expanded; what is unset is empty. */
  value: Fields;
  /** Escapes undone, placeholders left as they are written. */
  masked: Fields;
  placeholders: readonly Placeholder[];
}

/** Expands every text of a connection on its own, so that no value can break out of its field. */
function expand(raw: Fields, env: Environment): Expanded {
  let value = raw;
  let masked = raw;
  const placeholders: Placeholder[] = [];
  for (const { path, text } of listStrings(raw)) {
    if (!text.includes('${')) continue;
    const expansion = isUrl(path) ? expandUrl(text, env) : expandText(text, env);
    value = replaceAt(value, path, expansion.text);
    if (hasPlaceholder(text)) placeholders.push({ path, ...expansion });
    else masked = replaceAt(masked, path, expansion.text);
  }
  return { value, masked, placeholders };
}

/** The field that sets several others. */
function isUrl([field, ...rest]: Path): boolean {
  return field === 'url' && rest.length === 0;
}

/**
 * Validates a connection in which some texts came from variables, or still are placeholders. Where the schema refuses such a
 * text, the variable's value is tried in its place, as the number or the truth value that the schema asks for.
 */
function fitSchema<C>(schema: z.ZodType<C>, input: Fields, placeholders: readonly Placeholder[]): Fit<C> {
  const first = schema.safeParse(input);
  if (first.success) return { ok: true, config: first.data };
  const repaired = repair(input, first.error.issues, placeholders);
  if (repaired === input) return { ok: false, issues: first.error.issues, input };
  const second = schema.safeParse(repaired);
  return second.success ? { ok: true, config: second.data } : { ok: false, issues: second.error.issues, input: repaired };
}

function repair(input: Fields, issues: readonly z.core.$ZodIssue[], placeholders: readonly Placeholder[]): Fields {
  if (placeholders.length === 0) return input;
  let result = input;
  for (const issue of issues.flatMap((one) => flatten(one, input))) {
    const path = buildPath(issue);
    for (const placeholder of placeholders) {
      if (!isPrefix(path, placeholder.path)) continue;
      const expected = issue.code === 'invalid_type' && path.length === placeholder.path.length ? issue.expected : 'string';
      result = replaceAt(result, placeholder.path, convert(placeholder.text, expected));
    }
  }
  return result;
}

/** Only what is written exactly as JSON would write it; anything else stays a text and is refused by the schema. */
function convert(text: string, expected: string): unknown {
  if ((expected === 'number' || expected === 'int') && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return Number(text);
  if (expected === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
