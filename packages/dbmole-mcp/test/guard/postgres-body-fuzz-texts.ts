import type { SeededRandom } from './seeded-random.ts';

/** A literal of the server with this value. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const hexOf = (text: string) => Buffer.from(text).toString('hex');
const mayEscape = (one: string) => one <= '~';
const reverse = (text: string) => [...text].reverse().join('');

type WriteForm = (random: SeededRandom, text: string) => string;

/** One plain literal, in any way to write one. */
export const literals: readonly [WriteForm, ...WriteForm[]] = [
  (_, text) => quoteText(text),
  (_, text) => `${quoteText(text)}::pg_catalog.text`,
  (_, text) => `E'${text.replace(/['\\]/g, '\\$&')}'`,
  (random, text) =>
    `e'${[...text].map((one) => (mayEscape(one) && (random.oneIn(3) || /['\\]/.test(one)) ? `\\x${hexOf(one)}` : one)).join('')}'`,
  (random, text) =>
    `U&'${[...text].map((one) => (mayEscape(one) && (random.oneIn(4) || /['\\]/.test(one)) ? `\\00${hexOf(one)}` : one)).join('')}'`,
  (_, text) => `$q$${text}$q$`,
  (_, text) => `$$${text}$$`.replace('$$$$', "''"),
];

/** An expression that the server has to compute. `half` writes a part of it in any way. */
const expressions: readonly [WriteForm, ...WriteForm[]] = [
  (random, text) => splitText(random, text).join(' || '),
  // A search path may find another type of that name.
  (_, text) => `${quoteText(text)}::text`,
  (random, text) => `concat(${splitText(random, text).join(', ')})`,
  (random, text) => `concat_ws('', ${splitText(random, text).join(', ')})`,
  (random, text) => `array_to_string(array[${splitText(random, text).join(', ')}], '')`,
  (random, text) => `format('%s%s', ${splitText(random, text).join(', ')})`,
  (random, text) => `format(${writeText(random, text.replaceAll('%', '%%'))})`,
  (random, text) => `format('%2$s%1$s', ${splitText(random, text).reverse().join(', ')})`,
  (random, text) => `replace(${writeText(random, text.replaceAll('_', '~~'))}, '~~', '_')`,
  (random, text) => `reverse(${writeText(random, reverse(text))})`,
  (_, text) => `convert_from(decode('${hexOf(text)}', 'hex'), 'UTF8')`,
  (_, text) => `convert_from('\\x${hexOf(text)}'::bytea, 'UTF8')`,
  (_, text) => `convert_from(decode('${Buffer.from(text).toString('base64')}', 'base64'), 'SQL_ASCII')`,
  (_, text) => `chr(${text.charCodeAt(0)}) || ${quoteText(text.slice(1))}`,
  (random, text) => `substr(${writeText(random, `--${text}`)}, 3)`,
  (random, text) => `btrim(${writeText(random, ` ${text} `)})`,
  (random, text) => `(select ${writeText(random, text)})`,
  (random, text) => `coalesce(null, ${writeText(random, text)})`,
  (random, text) => `case when now() is not null then ${writeText(random, text)} else 'select 1' end`,
  (random, text) => `cast(${writeText(random, text)} as varchar)`,
  (random, text) => `translate(${writeText(random, text.replaceAll('e', '\u00e9'))}, '\u00e9', 'e')`,
  (random, text) => `(array['select 1', ${writeText(random, text)}])[2]`,
  (random, text) => `(select string_agg(z, '') from unnest(array[${splitText(random, text).join(', ')}]) z)`,
  (random, text) => `regexp_replace(${writeText(random, text)}, '^nothing', '')`,
  (_, text) => `format('%s', ${quoteText(text)})`,
];

/** An expression whose value is the text. */
export function writeText(random: SeededRandom, text: string): string {
  if (random.oneIn(2) || text.length > 400) return random.pick(literals)(random, text);
  return `(${random.pick(expressions)(random, text)})`;
}

/** Always computed. */
export function computeText(random: SeededRandom, text: string): string {
  return random.pick(expressions)(random, text);
}

function splitText(random: SeededRandom, text: string): string[] {
  const at = random.below(text.length);
  return [text.slice(0, at), text.slice(at)].map((part) => writeText(random, part));
}

/** The server cuts names to so many bytes. */
const nameBytes = 63;

/** A name whose letters are folded and cut in ways of their own; `name` has letters, digits and `_` alone. */
export function writeOddName(random: SeededRandom, name: string): string {
  if (!random.oneIn(4)) return name;
  return random.pick([`\u00c9${name}`, `\u20ac${name}`, `${name}\u212a`, `${name}_`.padEnd(nameBytes, 'x')]);
}

/** Ways to write a name, or `schema.name`, that mean the same to the server. */
export function spellName(random: SeededRandom, name: string): string {
  const [schema, inner] = name.split('.');
  if (inner !== undefined) return `${schema}.${spellName(random, inner)}`;
  const isLong = Buffer.byteLength(name) === nameBytes;
  return random.pick([
    name,
    name,
    `"${name}"`,
    `U&"${[...name].map((letter) => (random.oneIn(3) ? `\\${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter)).join('')}"`,
    isLong ? `${name}yz` : name,
    isLong ? `"${name}yz"` : name,
  ]);
}

const tokens =
  /[uU]&(?:'[^']*'|"[^"]*")|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([a-z]*\d*)\$[\s\S]*?\$\1\$|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/|\s+|[a-z_][a-z_0-9]*|\d+|[\s\S]/gi;
const gaps = [
  ' ',
  ' ',
  '\n',
  '\t',
  ' /* comment */ ',
  '/**/',
  ' -- comment; $$ \' "\n',
  ' /* /* begin */ */ ',
  '--\n',
  '\r\n',
] as const;
/** The names that the fuzzer gives, and those that it hides. */
const quotable = /^(?:[a-z]{1,2}\d+_\d+|pg_(?:try_)?advisory_lock(?:_shared)?)$/;

/** The same for the server, with other blanks, cases and quotes. */
export function disguise(random: SeededRandom, text: string): string {
  const strength = random.pick([0, 0, 20, 4]);
  if (strength === 0) return text;
  return text.replace(tokens, (token) => {
    if (!random.oneIn(strength)) return token;
    if (/^\s/.test(token)) return random.pick(gaps);
    if (quotable.test(token)) return `"${token}"`;
    return /^[a-z_]/i.test(token) && !/['"]/.test(token) ? changeCase(random, token) : token;
  });
}

function changeCase(random: SeededRandom, word: string): string {
  return [...word].map((letter) => (random.oneIn(2) ? letter.toUpperCase() : letter)).join('');
}
