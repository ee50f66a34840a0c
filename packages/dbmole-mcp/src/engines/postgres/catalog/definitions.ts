import { formatParenthesised } from '../../../statement/parenthesised.ts';

/** What pg_get_…def writes, in fewer words that mean the same. */

const shortTypes: readonly (readonly [RegExp, string])[] = [
  [/^character varying\b/, 'varchar'],
  [/^character\b/, 'char'],
  [/^bit varying\b/, 'varbit'],
  [/^timestamp(\(\d\))? with time zone/, 'timestamptz$1'],
  [/^timestamp(\(\d\))? without time zone/, 'timestamp$1'],
  [/^time(\(\d\))? with time zone/, 'timetz$1'],
  [/^time(\(\d\))? without time zone/, 'time$1'],
];

export function formatType(type: string): string {
  for (const [long, short] of shortTypes) {
    if (long.test(type)) return type.replace(long, short);
  }
  return type;
}

/** A literal is shown without the cast to the column's own type. */
export function formatDefault(expression: string | undefined, type: string): string | undefined {
  const literal = /^('(?:[^']|'')*')::(.+)$/s.exec(expression ?? '');
  const bare = type.replace(/\(\d+(?:,\d+)?\)/, '');
  const same = [type, bare, bare.replace(/^character\b/, 'bpchar')];
  return same.includes(literal?.[2] ?? '') ? literal?.[1] : expression;
}

export function formatFilled(column: { identity: string; generated: string; expression: string }): string | undefined {
  if (column.identity === 'a') return 'identity';
  if (column.identity === 'd') return 'identity by default';
  if (column.generated === '') return undefined;
  return `generated ${column.generated === 'v' ? 'virtual' : 'stored'} ${formatParenthesised(column.expression)}`;
}

/** `PK` or `UNIQUE…` for a key that is no more than its columns; undefined when the definition has to be shown as it is. */
export function parseKey(definition: string): string | undefined {
  const word = /^(PRIMARY KEY|UNIQUE(?: NULLS NOT DISTINCT)?) \((?:[^"()]|"[^"]*")*\)$/.exec(definition)?.[1];
  if (word === undefined || /WITHOUT OVERLAPS\)$/.test(definition)) return undefined;
  return word === 'PRIMARY KEY' ? 'PK' : word;
}

const actions =
  /\)((?: (?:MATCH FULL|ON (?:DELETE|UPDATE) (?:CASCADE|RESTRICT|SET NULL|SET DEFAULT)(?: \([^)]*\))?|DEFERRABLE|INITIALLY DEFERRED|NOT VALID|NOT ENFORCED))*)$/;

/** What follows the columns of a reference. Looked for from the end: names before it may contain anything. */
export function parseAction(definition: string): string {
  return actions.exec(definition)?.[1]?.trim() ?? '';
}

/** `UNIQUE btree (lower(email)) WHERE …`: without the words that every index has. */
export function formatIndex(index: { name: string; definition: string; method: string; valid: boolean }): string {
  const { name, definition, method } = index;
  const unique = definition.startsWith('CREATE UNIQUE ');
  const using = ` USING ${method} `;
  const at = definition.indexOf(using, definition.indexOf(name) + name.length);
  const rest = at < 0 ? definition : definition.slice(at + using.length);
  const words = [unique ? 'UNIQUE' : '', at < 0 ? '' : method, rest, index.valid ? '' : 'INVALID'];
  return words.filter((word) => word !== '').join(' ');
}

const states: Readonly<Record<string, string>> = { D: ' DISABLED', R: ' ENABLED ON REPLICA ONLY', A: ' ENABLED ALWAYS' };

/** What follows the name: `BEFORE UPDATE ON orders FOR EACH ROW …`. */
export function formatTrigger({ name, definition, enabled }: { name: string; definition: string; enabled: string }): string {
  const start = definition.indexOf(` ${name} `);
  const rest = start < 0 ? definition : definition.slice(start + name.length + 2);
  return `${rest}${states[enabled] ?? ''}`;
}
