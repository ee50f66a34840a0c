import type { SeededRandom } from './seeded-random.ts';

/** What must never run, spelt in many ways, without and with quotes of all kinds. */
const payloads = [
  "nextval('fuzz_canary')",
  'nextval($$fuzz_canary$$)',
  'nextval($q$fuzz_canary$q$)',
  "nextval(e'fuzz_canary')",
  "nextval(U&'fuzz\\005fcanary')",
  '"nextval"($$fuzz_canary$$)',
  'U&"next\\0076al"($$fuzz_canary$$)',
  'U&"next!0076al" uescape $$!$$ ($$fuzz_canary$$)',
  'pg_catalog.nextval($$fuzz_canary$$)',
  'NextVal/**/($$fuzz_canary$$)',
  'set_config($$fuzz.canary$$, $$x$$, false)',
] as const;

/** Where one lexer is still inside of something and another is not. */
const shards = [
  "'",
  "''",
  "\\'",
  '\\',
  '\\\\',
  '"',
  '""',
  '$$',
  '$q$',
  '$Q$',
  '$é$',
  '$1',
  'a$$',
  '--',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\v',
  '\f',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '/*',
  '*/',
  '/**/',
  '/*/',
  '*/*',
  ';',
  "e'",
  "E'",
  "U&'",
  'U&"',
  "n'",
  "b'",
  "x'",
  ' uescape ',
  "uescape '!'",
  '::',
  ':=',
  '=>',
  ',',
  '(',
  ')',
  '+',
  '-',
  '*',
  '/',
  '<',
  '@',
  '!',
  '#',
  '~',
  '`',
  '?',
  '|',
  '&',
  '%',
  '^',
  '1e',
  '0x',
  '1_',
  '.5',
  '1..2',
  'é',
  '日',
  '😀',
  ' ',
] as const;

const names = ['a', 'b_1', 'é', 'x$y', '日本', '_', 'select_', 'e', 'u', 'n'] as const;
const numbers = ['1', '1.5', '.5', '1e3', '1.', '0', '42', '1e-2'] as const;
const operators = ['+', '-', '*', '/', '||', '=', '<>', '<', '>=', '%', ' - -', '-/**/-', '+ +', ' is distinct from '] as const;
const types = ['text', 'varchar(10)', 'name', '"char"', 'bpchar', 'pg_catalog.text', '"text"'] as const;
const blanks = [' ', '\n', '\t', '\r\n', '\f', '  ', '/**/', '/* c */', '-- c\n', '--\r', '/* /* */ */'] as const;
const tags = ['$$', '$q$', '$Q$', '$é$', '$_1$'] as const;

/** One query that holds the payload in most cases somewhere, where it should be text for everyone, or is a call for everyone. */
export function makeStatement(random: SeededRandom): string {
  const items = Array.from({ length: 1 + random.below(4) }, () => makeItem(random, 2));
  const text = `${makeBlank(random)}${random.pick(['select', 'SELECT', 'values (', 'with w as (select 1) select', 'explain select'])} `;
  const list = items.join(`${makeBlank(random)},${makeBlank(random)}`);
  const end = random.pick(['', '', '', ';', ' limit 1', ' -- ', '/* end */', '\n', ' order by 1', ' union all select null']);
  const statement = `${text}${list}${text.includes('values') ? ')' : ''}${end}`;
  return random.oneIn(2) ? mutate(statement, random) : statement;
}

function makeItem(random: SeededRandom, depth: number): string {
  const item = makeValue(random, depth);
  const more = random.below(6);
  if (more === 0) return `${item}::${random.pick(types)}`;
  if (more === 1) return `${item}${random.pick(operators)}${makeValue(random, depth)}`;
  if (more === 2) return `${item} as ${makeName(random)}`;
  if (more === 3) return `cast(${item} as ${random.pick(types)})`;
  return item;
}

function makeValue(random: SeededRandom, depth: number): string {
  const kind = random.below(13);
  if (kind < 5) return makeLiteral(random);
  if (kind === 5) return makeDollar(random);
  if (kind === 6) return `${makeBlank(random)}${random.pick(numbers)}${makeComment(random)}`;
  if (kind === 7) return `(${makeComment(random)}select ${makeLiteral(random)} as ${makeName(random)})`;
  if (kind === 8) return `concat(${makeLiteral(random)},${makeComment(random)}${makeLiteral(random)})`;
  if (kind === 9 && depth > 0) return `(${makeItem(random, depth - 1)})`.replace(/ as .*(?=\)$)/s, '');
  if (kind === 10) return `${makeComment(random)}null`;
  // Lexers differ after a backslash and a quote.
  if (kind === 11) return `'\\'' , ${random.pick(payloads)} , ' --'`;
  if (kind === 12 && random.oneIn(4)) return random.pick(payloads);
  return `coalesce(${makeLiteral(random)})`;
}

/** Text that looks like the end of its container. */
function makeText(random: SeededRandom): string {
  const parts = Array.from({ length: random.below(5) }, () => (random.oneIn(3) ? random.pick(payloads) : random.pick(shards)));
  return parts.join(random.pick(['', ' ']));
}

function makeLiteral(random: SeededRandom): string {
  const text = makeText(random);
  const kind = random.below(8);
  if (kind === 0)
    return `${random.pick(['e', 'E'])}'${text.replaceAll('\\', '\\\\').replaceAll("'", random.pick(["''", "\\'"]))}'`;
  if (kind === 1) return `U&'${text.replaceAll('\\', '\\\\').replaceAll("'", random.pick(["''", '\\0027']))}'`;
  if (kind === 2) return `u&'${text.replaceAll('!', '!!').replaceAll("'", "''")}'${makeBlank(random)} uescape '!'`;
  if (kind === 3) return `n'${double(text)}'`;
  if (kind === 4) return `'${double(text)}'${random.pick(['\n', ' \n', '\n\n', '-- c\n', '\r'])}'${double(makeText(random))}'`;
  return `'${double(text)}'`;
}

function double(text: string): string {
  return text.replaceAll("'", "''");
}

function makeDollar(random: SeededRandom): string {
  const tag = random.pick(tags);
  return `${tag}${makeText(random).replaceAll(tag, '')}${tag}`;
}

function makeName(random: SeededRandom): string {
  const kind = random.below(5);
  const text = makeText(random).replaceAll('"', '""') || 'x';
  if (kind === 0) return `"${text}"`;
  if (kind === 1) return `U&"${text.replaceAll('\\', '\\\\')}"`;
  if (kind === 2) return `U&"${text.replaceAll('!', '!!')}" uescape '!'`;
  return random.pick(names);
}

function makeBlank(random: SeededRandom): string {
  return random.oneIn(3) ? makeComment(random) : random.pick(blanks);
}

function makeComment(random: SeededRandom): string {
  const text = makeText(random);
  const kind = random.below(4);
  if (kind === 0) return `--${text.replaceAll(/[\r\n]/g, '')}${random.pick(['\n', '\r', '\r\n'])}`;
  if (kind === 1) return `/*${text.replaceAll(/\*\/|\/\*/g, '')} */`;
  if (kind === 2) return `/* /*${text.replaceAll(/\*\/|\/\*/g, '')} */ */`;
  return ' ';
}

/** A few shards put in, taken out, or repeated anywhere. */
function mutate(statement: string, random: SeededRandom): string {
  let text = statement;
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(text.length + 1);
    const kind = random.below(3);
    if (kind === 0) text = text.slice(0, at) + random.pick(shards) + text.slice(at);
    else if (kind === 1) text = text.slice(0, at) + text.slice(at + 1 + random.below(2));
    else text = text.slice(0, at) + text.slice(Math.max(0, at - 1 - random.below(6)));
  }
  return text;
}
