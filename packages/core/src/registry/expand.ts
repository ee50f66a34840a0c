export interface Expansion {
  text: string;
  /** Every variable the text refers to. */
  variables: readonly string[];
  /** Those that are not set and have no default. */
  unset: readonly string[];
  /** There is a `${` that is neither a variable nor escaped. */
  malformed: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const placeholder = /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})?/g;

/**
 * `${NAME}` becomes the variable's value, `${NAME:-default}` the default when it is unset or empty, and `$${` a plain `${`.
 * What a variable holds is not looked at again.
 */
export function expandText(text: string, env: Environment): Expansion {
  const variables: string[] = [];
  const unset: string[] = [];
  let malformed = false;
  const expanded = text.replace(placeholder, (found, name: string | undefined, fallback: string | undefined) => {
    if (found === '$${') return '${';
    if (name === undefined) {
      malformed = true;
      return found;
    }
    variables.push(name);
    const value = readVariable(env, name);
    if (value === undefined && fallback === undefined) unset.push(name);
    return fallback === undefined ? (value ?? '') : value || fallback;
  });
  return { text: expanded, variables, unset, malformed };
}

/** The text in a form that expands to itself: what a tool stores must never be taken for a variable. */
export function escapeText(text: string): string {
  return text.replaceAll('${', '$$${');
}

/** Whether expanding would read a variable or fail; escapes alone do not count. */
export function hasPlaceholder(text: string): boolean {
  return [...text.matchAll(placeholder)].some(([found]) => found !== '$${');
}

/** Own properties only: `constructor` is not a variable. */
export function readVariable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}
