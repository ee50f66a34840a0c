/** Safe in SQL that is parsed before our settings apply: a role may have `standard_conforming_strings` off. */
export function formatLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

/** A list or an object as text that the server reads: an array, or JSON where the statement says so or nothing else can be meant. */
export function formatListParam(value: object, { sql, index }: { sql: string; index: number }): string {
  return Array.isArray(value) && !hasObject(value) && !isCastToJson(sql, index) ? formatArray(value) : JSON.stringify(value);
}

function hasObject(list: readonly unknown[]): boolean {
  return list.some((item) => (Array.isArray(item) ? hasObject(item) : typeof item === 'object' && item !== null));
}

const castToJson = /\$(\d{1,5}) {0,9}(?:::| as ) {0,9}jsonb?\b/gi;

/** `$1::jsonb`, `cast($1 as json)`. */
function isCastToJson(sql: string, index: number): boolean {
  return [...sql.matchAll(castToJson)].some(([, number]) => Number(number) === index + 1);
}

/** An array as text, for a parameter or a literal. */
export function formatArray(list: Iterable<unknown>): string {
  return `{${Array.from(list, formatElement).join(',')}}`;
}

function formatElement(element: unknown): string {
  if (element === null) return 'NULL';
  if (Array.isArray(element)) return formatArray(element);
  return typeof element === 'string' ? `"${element.replace(/["\\]/g, '\\$&')}"` : String(element);
}
