/** Says one number below `below` after another. */
type Random = (below: number) => number;

/** What must never be executed, in many spellings. One column in front of it, since it takes one. */
const payloads = [
  'INTO @x',
  ' INTO @x ',
  'into@x',
  ' INTO/**/@x',
  ' INTO\n@x ',
  "INTO @'x'",
  ' INTO @`x` ',
  'INTO @x#',
  ' INTO -- \n@x',
  ' /*!50000INTO*/ @x ',
  '/*!INTO*/@x',
];

const heads = [
  '1',
  "'a'",
  '1e0',
  '1.',
  '.1',
  '1.5e3',
  '1e+1',
  "x'41'",
  '0x41',
  "b'1'",
  '(1)',
  '@y',
  "N'a'",
  '"a"',
  '`id`',
  'NULL',
  '\\N',
  '1--1',
];
const quotes = ["'", "'", '"', '`'];
const escapes = ['\\', '\\', '\\\\', '\\\\\\', '', "\\'", '\\"', '\\`', 'a\\'];
const introducers = ['', '', '', 'N', '_latin1', '_utf8mb4 ', '_gbk', '_sjis', '_binary', 'x', 'AS ', 'n'];
const versions = [
  '',
  ' ',
  '40101 ',
  '50000 ',
  '50000',
  '80000',
  '050700 ',
  '99999 ',
  '100100 ',
  '32302',
  '999999 ',
  '1',
  '80',
  '80031 ',
  '0',
];
const dashes = [
  '--',
  '--',
  '-- ',
  '--\t',
  '--\n',
  '--1',
  '--+',
  '--(2)-',
  '--\u0001',
  '--\u000b',
  '--\r',
  '--\u00a0',
  '---',
  '--;',
];
const blanks = [' ', '', '\n', '\t', '/**/', '\f', '/* */'];
const loose = [
  '[',
  ']',
  '$$',
  '$a$',
  '\\',
  '.',
  '?',
  ';',
  '{',
  '}',
  '@',
  '@@',
  '~',
  '!',
  '|',
  ':',
  '\u0085',
  '😀',
  '裏',
  '\u00bf',
];
const wide = ['뽜', '表', 'é', '\u00bf', '😀'];

interface Draw {
  random: Random;
  pick(list: readonly string[]): string;
  chance(outOf: number): boolean;
}

/** Each gives pieces of text that begin or end something, or look as if they did. */
const traps: readonly ((draw: Draw) => string[])[] = [
  quoted,
  quoted,
  comment,
  executable,
  executable,
  ({ pick }) => [pick(blanks), pick(dashes), pick(blanks), '\n'],
  ({ pick }) => ['#', pick(escapes), pick(['\n', '\r', '\u2028', '\n'])],
  ({ pick }) => [pick(['', '-', ' + ', '*']), pick(heads)],
  bracketed,
  ({ pick }) => [pick(loose), ' ', pick(quotes), ' ', pick(loose)],
  ({ pick }) => [pick(introducers), pick(quotes), pick(wide), pick(escapes), pick(quotes)],
];

function quoted({ pick, chance }: Draw): string[] {
  const mark = pick(quotes);
  const other = pick(quotes);
  const inside = chance(3) ? pick(['/*', '*/', '#', '-- ', other, '/*!', '[', ']', '$$']) : '';
  return [pick(['', ' AS ', ' ', '-']), pick(introducers), mark, inside, pick(escapes), mark, pick(['', '', mark, ' '])];
}

function comment({ pick, chance }: Draw): string[] {
  const inside = [pick(['', '/*', '*', '/', '!', '+', '/*!', 'M!']), pick([...quotes, '', '-- ', '#'])];
  return ['/*', ...inside, '*/', ...(chance(3) ? ['*/'] : [])];
}

function executable({ pick, chance }: Draw): string[] {
  const open = `/*${pick(['!', '!', '!', 'M!', ' !', 'm!'])}${pick(versions)}`;
  const inside = pick(['', '', "'", '"', '`', '-- ', '#', '/* */', '/*', '\n', "'*/'", ' AS a ', '[*/]']);
  return [open, inside, '*/', ...(chance(3) ? ['*/'] : [])];
}

function bracketed({ pick }: Draw): string[] {
  return [pick([' AS ', ' ', '']), '[', pick([...quotes, '/*', '-- ', '#', ' ']), ']'];
}

/** A query of one column with traps, and somewhere in between what must not be run. */
export function makeStatement(random: Random): string {
  const pick = (list: readonly string[]) => list[random(list.length)] ?? '';
  const draw: Draw = { random, pick, chance: (outOf) => random(outOf) === 0 };
  const pieces = [pick(heads), pick(blanks)];
  for (let count = 1 + random(3); count > 0; count -= 1) {
    const trap = traps[random(traps.length)];
    if (trap !== undefined) pieces.push(...trap(draw));
  }
  // Mostly behind a trap rather than in front of all.
  const place = random(6) === 0 ? 1 : 2 + random(pieces.length - 1);
  pieces.splice(place, 0, pick(payloads), ...tail(draw));
  return `SELECT ${pieces.join('')}${random(3) === 0 ? tail(draw).join('') : ''}`;
}

/** What makes the rest harmless, if the server gets as far: else no statement with a trap in it would be one. */
function tail({ pick, chance }: Draw): string[] {
  if (chance(3)) return [];
  return [pick([' -- ', ' -- ', '#', ' /* ', '-- ', '\n']), pick([...quotes, '', ']', '*/', '$$'])];
}
