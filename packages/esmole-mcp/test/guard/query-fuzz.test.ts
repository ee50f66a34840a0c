import { Failure } from '@dbmole/core';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkQueryText, type QueryLanguage } from '../../src/guard/query/check-query.ts';
import { findChanges, takeFingerprint } from './fingerprint.ts';
import { createRawNode, type RawNode } from './raw-node.ts';

const open = 'fuzz-open';
const closed = 'fuzz-closed';
const hidden = '.fuzz-hidden';
/** The only value that may not be shown. */
const mark = 'MOLE-IN-THE-DARK';

/** Random numbers that are the same in every run. */
function createDice(seed: number) {
  let state = seed;
  const roll = (sides: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % sides;
  };
  return { roll, pick: <T>(list: readonly [T, ...T[]]): T => list[roll(list.length)] ?? list[0] };
}

type Dice = ReturnType<typeof createDice>;

const names = [
  open,
  open,
  open,
  closed,
  hidden,
  '*',
  'fuzz-*',
  `${open},${closed}`,
  `-${open}`,
  `"${closed}"`,
  `"""${hidden}"""`,
] as const;
const oddNames = [
  `${open}/*x*/`,
  `\`${closed}\``,
  `<${closed}>`,
  `${closed}::data`,
  'fuzz-c?',
  `rem:${closed}`,
  `${open}"`,
] as const;
const blanks = [' ', ' ', '\n', '\t', ' /* c */ ', ' // c\n', '', ' /* " */ '] as const;

type Makers = readonly [() => string, ...(() => string)[]];

/** Commands of ES|QL with an odd name, comment or quote here and there. */
function makeEsql(dice: Dice): string {
  const name = () => (dice.roll(6) === 0 ? dice.pick(oddNames) : dice.pick(names));
  const gap = () => dice.pick(blanks);
  const source = (): string => `FROM${gap() || ' '}${name()}${dice.roll(3) === 0 ? `,${gap()}${name()}` : ''}`;
  const commands: Makers = [
    () => `LOOKUP JOIN ${name()} ON k`,
    () => `WHERE k == "${dice.pick([`FROM ${closed}`, '| FROM x', '\\" | DROP k', '//'])}" OR true`,
    () => `WHERE k IN (${source()} | KEEP k)`,
    () => 'STATS c = COUNT(*) BY k',
    () => `ENRICH ${name()} ON k`,
    () => `EVAL v = """${dice.pick(['"', `" | FROM ${closed}`, 'a'])}"""`,
    () => 'EVAL v = `k`',
    () => `FORK (WHERE true) (${source()})`,
    () => 'LIMIT 5',
    () => `COMPLETION "x" WITH {"inference_id": "m"}`,
    () => `GROK k "%{WORD:w}"`,
    () => 'KEEP k',
  ];
  const starts: Makers = [
    source,
    source,
    source,
    () => 'ROW k = "a"',
    () => `TS ${name()}`,
    () => `FROM (${source()}), ${name()}`,
  ];
  const rest = Array.from({ length: dice.roll(4) }, () => `${gap()}|${gap()}${dice.pick(commands)()}`);
  const text = [dice.pick(starts)(), ...rest].join('');
  return dice.roll(5) === 0 ? mutate(text, dice) : text;
}

/** Removes, doubles or replaces a character. */
function mutate(text: string, dice: Dice): string {
  const at = dice.roll(Math.max(1, text.length));
  return `${text.slice(0, at)}${dice.pick(['', '"', '`', '|', '(', ')', '/*', '*/', '//', '\\', text.charAt(at).repeat(2)])}${text.slice(at + 1)}`;
}

function isAccepted(text: string, language: QueryLanguage, indices?: readonly string[]): boolean {
  try {
    checkQueryText(text, language, { systemIndices: false, ...(indices !== undefined && { indices }) });
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

describe('random ES|QL on elasticsearch8esql', () => {
  const engine = useEngine('elasticsearch8esql', { shared: true });
  let node: RawNode;

  beforeAll(async () => {
    node = createRawNode(engine());
    for (const [index, k] of [
      [open, 'a'],
      [closed, mark],
      [hidden, mark],
    ]) {
      const settings = { 'index.mode': index === open ? 'standard' : 'lookup', number_of_replicas: 0, refresh_interval: '-1' };
      const properties = { k: { type: 'keyword' }, v: { type: 'keyword' } };
      const created = await node.send('PUT', `/${index}`, { settings, mappings: { properties } });
      expect(created.status, created.text).toBe(200);
      expect((await node.send('POST', `/${index}/_doc?refresh=true`, { k })).status).toBe(201);
      // A join finds it by a key that the open index has.
      const joined = { k: 'a', v: index === open ? 'x' : mark };
      expect((await node.send('POST', `/${index}/_doc?refresh=true`, joined)).status).toBe(201);
    }
  }, 60_000);
  afterAll(async () => {
    await node.send('DELETE', `/${open},${closed},${hidden}`);
    node.dispose();
  });

  it('shows nothing of other indices and changes nothing, where the guard lets it pass', async () => {
    const dice = createDice(21);
    const texts = new Set(Array.from({ length: 3_000 }, () => makeEsql(dice)));
    const accepted = [...texts].filter((text) => isAccepted(text, 'esql', [open]));
    expect(accepted.length).toBeGreaterThan(150);
    const before = await takeFingerprint(node);
    let answered = 0;
    for (const text of accepted.slice(0, 250)) {
      const reply = await node.send('POST', '/_query', { query: text });
      expect(reply.text, text).not.toContain(mark);
      if (reply.status === 200) answered += 1;
    }
    expect(answered).toBeGreaterThan(60);
    expect(findChanges(before, await takeFingerprint(node))).toEqual([]);
    // The node itself shows what was refused, or the mark would prove nothing.
    expect((await node.send('POST', '/_query', { query: `FROM ${closed}` })).text).toContain(mark);
  }, 120_000);

  it('hides what begins with a dot from a connection without a list', async () => {
    const dice = createDice(22);
    const texts = new Set(Array.from({ length: 3_000 }, () => makeEsql(dice).replaceAll(closed, hidden)));
    const accepted = [...texts].filter((text) => isAccepted(text, 'esql'));
    expect(accepted.length).toBeGreaterThan(150);
    for (const text of accepted.slice(0, 150)) {
      const reply = await node.send('POST', '/_query', { query: text.replaceAll('fuzz-*', `${open}*`) });
      expect(reply.text, text).not.toContain(mark);
    }
  }, 120_000);
});

it('accepts only commands and statements that read, in PPL and SQL of OpenSearch', () => {
  const dice = createDice(23);
  const commands = [
    'fields a',
    'ml action="train"',
    'head 5',
    'kmeans',
    'ad time_field="t"',
    'where a = "| ml x"',
    'eval x = `| ad`',
    'appendcol [ ml a ]',
  ] as const;
  const statements = [
    'SELECT a FROM b',
    'DELETE FROM b',
    'SHOW TABLES LIKE "b"',
    'UPDATE b SET c = 1',
    'DROP TABLE b',
    "SELECT ';' FROM b",
  ] as const;
  const makePpl = () =>
    ['source=b', ...Array.from({ length: dice.roll(4) }, () => dice.pick(commands))].join(dice.pick([' | ', '|', '\n|\t']));
  const makeSql = () =>
    Array.from({ length: 1 + dice.roll(2) }, () => dice.pick(statements)).join(dice.pick([';', ' ; ', ' UNION ', '\n']));
  const listAccepted = (make: () => string, language: QueryLanguage) => {
    const texts = Array.from({ length: 2_000 }, make).map((text) => (dice.roll(4) === 0 ? mutate(text, dice) : text));
    const accepted = texts.filter((text) => isAccepted(text, language));
    expect(accepted.length, language).toBeGreaterThan(200);
    // What is between quotes is a value.
    return accepted.map((text) => text.replace(/"(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`/g, '""'));
  };
  const training = listAccepted(makePpl, 'ppl').filter((text) => /[|[]\s*(?:ml|ad|kmeans)\b/i.test(text));
  expect(training).toEqual([]);
  const isRead = (text: string) => /^[\s(]*(?:SELECT|SHOW|DESC)(?![^;]*;\s*\S)/i.test(text);
  expect(listAccepted(makeSql, 'opensearch sql').filter((text) => !isRead(text))).toEqual([]);
});
