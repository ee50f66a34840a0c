/** Where a value lies inside a connection, for example `['ssh', 'jump', 0, 'host']`. */
export type Path = readonly (string | number)[];

interface StringAt {
  path: Path;
  text: string;
}

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a text in JSON; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every string inside a value. */
export function* listStrings(value: unknown, path: Path = []): Generator<StringAt> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* listStrings(item, [...path, index]);
  else if (isFields(value)) for (const [key, item] of Object.entries(value)) yield* listStrings(item, [...path, key]);
}

export function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = new Map<string | number, unknown>(Object.entries(current)).get(String(key));
  }
  return current;
}

/** A copy with the values at these paths replaced; what lies beside a path is shared with the original. */
export function replaceAt<T>(value: T, path: Path, replacement: unknown): T {
  const [key, ...rest] = path;
  // The shape stays that of the original, only one value in it is another one.
  if (key === undefined) return replacement as T;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaceAt(item, rest, replacement) : item)) as T;
  if (!isFields(value)) return value;
  return { ...value, [key]: replaceAt(value[key], rest, replacement) } as T;
}

/** A copy with every string changed. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}

/** `ssh.jump[0].host`. */
export function formatPath(path: Path): string {
  return path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${key}`)).join('');
}

export function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => String(key) === String(path[index]));
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(',')}}`;
}
