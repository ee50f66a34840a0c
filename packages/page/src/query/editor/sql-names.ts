/** How an engine writes names. */
export interface NameRules {
  quote: '"' | '`';
  /** What an unquoted name becomes; the others keep their case and ignore it. */
  folds: boolean;
}

export function findRules(type: string): NameRules {
  if (type === 'mysql' || type === 'mariadb') return { quote: '`', folds: false };
  return { quote: '"', folds: type === 'postgres' };
}

/** Words that are names in quotes only, in one of the engines at least. */
const reserved = new Set(
  (
    'add all alter analyse analyze and any array as asc asymmetric between both by call cascade case cast change check collate column condition ' +
    'constraint create cross current_date current_time current_timestamp current_user database default deferrable delete desc describe distinct ' +
    'do drop else end escape except exists explain false fetch for foreign from full grant group having if ignore in index initially inner insert ' +
    'intersect interval into is isnull join key keys lateral leading left like limit localtime localtimestamp lock match natural not notnull null ' +
    'offset on only option or order outer over overlaps placing primary rank references rename replace returning revoke right row rows schema ' +
    'select session_user set show similar some symmetric table tablesample then to trailing transaction trigger true union unique update usage ' +
    'use user using values variadic verbose when where window with write'
  ).split(' '),
);

/** A name as a statement has to write it. */
export function writeName(name: string, { quote, folds }: NameRules): string {
  const isPlain = folds ? /^[a-z_][a-z0-9_]*$/.test(name) : /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  if (isPlain && !reserved.has(name.toLowerCase())) return name;
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}

/** The parts of a name with dots, without their quotes. */
export function splitName(text: string): string[] {
  const parts = text.match(/"(?:[^"]|"")*"|`(?:[^`]|``)*`|[^."`]+/g) ?? [];
  return parts.map(unquote);
}

export function unquote(text: string): string {
  const [quote = ''] = text;
  if (quote !== '"' && quote !== '`') return text;
  return text.slice(1, text.length > 1 && text.endsWith(quote) ? -1 : undefined).replaceAll(quote + quote, quote);
}

/** Whether a name as it is written in a statement means this table, column or schema. */
export function isSameName(written: string, name: string, { folds }: NameRules): boolean {
  const isQuoted = /^["`]/.test(written);
  if (isQuoted && folds) return unquote(written) === name;
  return unquote(written).toLowerCase() === name.toLowerCase();
}
