import type * as z from 'zod';
import { type Environment, expandText, expandUrl, hasPlaceholder } from './expand.ts';
import { flatten, pathOf } from './issues.ts';
import { isPrefix, type Path, replaceAt, stringsOf } from './tree.ts';

/** One text of a connection that refers to variables. */
export interface Placeholder {
  path: Path;
  text: string;
  variables: readonly string[];
  unset: readonly string[];
  malformed: boolean;
}

export interface Expanded {
  /** Everything expanded; what is unset is empty. */
  value: Record<string, unknown>;
  /** Escapes undone, placeholders left as they are written. */
  masked: Record<string, unknown>;
  placeholders: readonly Placeholder[];
}

/** Expands every text of a connection on its own, so that no value can break out of its field. */
export function expandConnection(raw: Record<string, unknown>, env: Environment): Expanded {
  let value = raw;
  let masked = raw;
  const placeholders: Placeholder[] = [];
  for (const { path, text } of stringsOf(raw)) {
    if (!text.includes('${')) continue;
    const expansion = isUrl(path) ? expandUrl(text, env) : expandText(text, env);
    value = replaceAt(value, path, expansion.text);
    if (hasPlaceholder(text)) placeholders.push({ path, ...expansion });
    else masked = replaceAt(masked, path, expansion.text);
  }
  return { value, masked, placeholders };
}

/** The field that stands for several. */
function isUrl([field, ...rest]: Path): boolean {
  return field === 'url' && rest.length === 0;
}

export type Fit<C> = { ok: true; config: C } | { ok: false; issues: readonly z.core.$ZodIssue[]; input: unknown };

/**
 * Validates a connection in which some texts came from variables, or still are placeholders. Where the schema refuses such a
 * text, the variable's value is tried in its place, as the number or the truth value that the schema asks for.
 */
export function fitSchema<C>(schema: z.ZodType<C>, input: Record<string, unknown>, placeholders: readonly Placeholder[]): Fit<C> {
  const first = schema.safeParse(input);
  if (first.success) return { ok: true, config: first.data };
  const repaired = repair(input, first.error.issues, placeholders);
  const second = schema.safeParse(repaired);
  return second.success ? { ok: true, config: second.data } : { ok: false, issues: second.error.issues, input: repaired };
}

function repair(
  input: Record<string, unknown>,
  issues: readonly z.core.$ZodIssue[],
  placeholders: readonly Placeholder[],
): Record<string, unknown> {
  let result = input;
  for (const issue of issues.flatMap((one) => flatten(one, input))) {
    const path = pathOf(issue);
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
