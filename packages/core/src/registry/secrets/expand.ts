interface Expansion {
  text: string;
  /** Every variable the text refers to. */
  variables: readonly string[];
  /** Those that are not set and have no default. */
  unset: readonly string[];
  /** There is a `${` that is neither a variable nor escaped. */
  malformed: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What becomes of a value where it is put in; `at` is the place of its placeholder. */
type Put = (value: string, at: number) => string;

const placeholder = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})?/g;

/**
 * `${NAME}` becomes the variable's value, `${NAME:-default}` the default when it is unset or empty, and `$${` a plain `${`.
 * What a variable holds is not looked at again.
 */
export function expandText(text: string, env: Environment, put: Put = (value) => value): Expansion {
  const variables: string[] = [];
  const unset: string[] = [];
  let malformed = false;
  const expanded = text.replace(placeholder, (found, name: string | undefined, fallback: string | undefined, at: number) => {
    if (found === '$${') return '${';
    if (name === undefined) {
      malformed = true;
      return found;
    }
    variables.push(name);
    const value = readVariable(env, name);
    if (value === undefined && fallback === undefined) unset.push(name);
    return put(fallback === undefined ? (value ?? '') : value || fallback, at);
  });
  return { text: expanded, variables, unset, malformed };
}

/**
 * The same for a URL, split first: no value leaves the part that it was written in, whatever characters it holds. It is encoded here
 * and decoded when the URL is taken apart. A value in front of `://` is the URL itself, or its beginning.
 */
export function expandUrl(text: string, env: Environment): Expansion {
  const plain = text.replace(placeholder, (found) => 'x'.repeat(found.length));
  const [start = '', authority = ''] = /^[^:]*:\/\/([^/?#]*)/.exec(plain) ?? [];
  const hostAt = start.length - authority.length + authority.lastIndexOf('@') + 1;
  return expandText(text, env, (value, at) => {
    if (start === '' || at < start.length - authority.length) return value;
    const encoded = encode(value);
    // An address of IPv6, or a port.
    return at >= hostAt && at < start.length ? encoded.replace(/%(?:3A|5B|5D)/g, decodeURIComponent) : encoded;
  });
}

/** Everything that has a meaning in a URL, or that none may hold. */
function encode(value: string): string {
  return value.replace(/[\s\p{Cc}!-,/:-@[-^`{-~]/gu, encodeURIComponent);
}

/** The text in a form that expands to itself: what a tool stores must never be taken for a variable. */
export function escapeText(text: string): string {
  return text.replaceAll('${', '$$${');
}

/** Variables and escapes, as they are written. */
export function findPlaceholders(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([found]) => found);
}

/** Whether expanding would read a variable or fail; escapes alone do not count. */
export function hasPlaceholder(text: string): boolean {
  return findPlaceholders(text).some((found) => found !== '$${');
}

/** Own properties only: `constructor` is not a variable. */
export function readVariable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}
