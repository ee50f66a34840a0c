import { describe, expect, it } from 'vitest';
import { formatParam } from './param-line.ts';
import { type FileRules, parseQueryFile } from './query-file.ts';

const rules: FileRules = {
  comments: ['--'],
  keys: ['database', 'limit'],
  hasNativeTypes: true,
  hasPatterns: true,
  reserved: ['connection', 'limit'],
};

const parse = (text: string, given: Partial<FileRules> = {}) => parseQueryFile(Buffer.from(text), { ...rules, ...given });
/** A file with one more line in its header. */
const withLine = (line: string, given?: Partial<FileRules>) =>
  parse(`-- tool: a_b\n-- description: It is.\n${line}\nselect 1`, given);
const issueOf = (line: string, given?: Partial<FileRules>) =>
  withLine(line, given)
    .issues.map((one) => `${one.line}: ${one.message}`)
    .join('; ');
const paramOf = (line: string) => {
  const { query, issues } = withLine(`-- param ${line}`);
  expect(issues).toEqual([]);
  return query?.params[0] ?? expect.fail('the line declares a parameter');
};

const whole = `-- tool: customer_orders
-- description: Orders of one customer, newest first, with their totals.
-- when: the user asks what a customer bought,
--   or how much they spent
-- connection: shop
-- A plain comment: it is not a part of the header.
-- param customer_id integer: id of the customer. Example: 42
-- param since date = 2025-01-01: first day
-- param status order_status[] optional: some of pending, paid, shipped
-- timeout: 5s
-- limit: 50

select id from orders where customer_id = :customer_id
`;

describe('the file of a saved query', () => {
  it('is read with all that its header says', () => {
    const { query, issues, name } = parse(whole);
    expect(issues).toEqual([]);
    expect(name).toBe('customer_orders');
    expect(query).toMatchObject({
      description: 'Orders of one customer, newest first, with their totals.',
      when: 'the user asks what a customer bought, or how much they spent',
      connection: 'shop',
      database: undefined,
      timeoutMs: 5_000,
      limit: 50,
      effect: 'read',
      isEnabled: true,
    });
    expect(query?.params.map(formatParam)).toEqual([
      'customer_id integer',
      'since date = 2025-01-01',
      'status order_status[] optional',
    ]);
    expect(query?.params[0]).toMatchObject({ examples: [42], description: 'id of the customer.', line: 7 });
  });

  it('keeps the lines of the statement where they are in the file', () => {
    expect(
      parse(whole)
        .query?.body.split('\n')
        .findIndex((line) => line.startsWith('select')),
    ).toBe(12);
  });

  it('is read with the line ends of Windows and a byte order mark', () => {
    expect(parse(`\uFEFF${whole.replaceAll('\n', '\r\n')}`).issues).toEqual([]);
  });

  it('names every mistake at once, with its line', () => {
    const { issues, query, name } = parse(
      '-- tool: orders_list\n-- param 9 integer: x\n-- timeout: soon\n-- effect: maybe\nselect 1',
    );
    expect(query).toBeUndefined();
    expect(name).toBe('orders_list');
    expect(issues.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(issues.map(({ message }) => message).join('\n')).toMatch(
      /description is missing.*NAME TYPE.*such as 30s.*read or write/s,
    );
  });

  it.each([
    ['-- descripton: x', /3: unknown key "descripton"; did you mean description\? The keys are tool, description/],
    ['-- limit: many', /3: invalid limit "many"; expected a number of rows from 1 to 10000/],
    ['-- limit: 99999', /invalid limit/],
    ['-- timeout: 2h', /invalid timeout "2h": expected a duration such as 30s/],
    ['-- enabled: perhaps', /invalid enabled "perhaps"; expected true or false/],
    ['-- description: again', /3: description is given twice/],
    ['-- param id integer', ''],
    ['-- param id', /the parameter id has no type; expected "NAME TYPE \[optional\]/],
    ['-- param Id integer: x', /invalid parameter "Id integer: x"/],
    ['-- param constructor text: x', /invalid parameter/],
    ['-- param __proto__ text: x', /invalid parameter/],
    [
      '-- param limit integer: x',
      /the name of an argument that every saved query takes; rename it \(connection, limit are taken\)/,
    ],
    ['-- param a interger: x', /did you mean integer\? A type of the engine with this name is written ::interger/],
    ['-- param a one of : x', /expected 1 to 100 different words/],
    ['-- param a one of x, x: y', /expected 1 to 100 different words/],
    ['-- param a date = tomorrow: y', /the default of a, "tomorrow", is not a date such as 2025-01-31/],
    ['-- param a date = 2025-02-30: y', /is not a date/],
    ['-- param a integer = 1.5: y', /is not a whole number/],
    ['-- param a integer: y. Example: many', /the example of a, "many", is not a whole number/],
    ['-- param a text optional = x: y', /it is optional and has a default; expected one of the two/],
    ['-- param a text matching /(a+)+/: y', /invalid pattern; expected a regular expression/],
    ['-- param a text matching /[/: y', /invalid pattern/],
    [`-- param a text: ${'"'.repeat(2_000)}`, /a parameter has 2008 characters; expected at most 2000/],
    ['-- param a text matching /a?a?a*a*b/: y', /it has 4 repetitions, expected at most 3/],
    ['-- param a text[] matching /a/: y', /has a pattern; expected one only for a single value/],
    [`-- param a text: ${'x'.repeat(301)}`, /has 301 characters; expected at most 300/],
    ['-- tool: other_name', /tool is given twice/],
  ])('is told what is accepted instead of "%s"', (line, message) => {
    expect(issueOf(line)).toMatch(message);
  });

  it.each(['limit 5', 'timeout 30s', 'effect write', 'enabled false'])('misses the colon in "%s"', (line) => {
    const { issues } = parse(`-- tool: a_b\n-- description: x\n-- ${line}\n-- limit the rows to 5\nselect 1`);
    expect(issues).toEqual([{ line: 3, message: `"${line}" has no colon; expected "${line.replace(' ', ': ')}"` }]);
  });

  it('accepts types of the engine and patterns only where there are some', () => {
    expect(issueOf('-- param a order_status: x', { hasNativeTypes: false })).toMatch(/expected a type \(integer, number/);
    expect(issueOf('-- param a text matching /x/: y', { hasPatterns: false })).toMatch(/has a pattern/);
    for (const line of ['database: x', 'limit: 5', 'limit 5'])
      expect(issueOf(`-- ${line}`, { keys: [] })).toMatch(
        /^3: this server has no key "(?:database|limit)"; remove the line\. The keys are tool/,
      );
  });

  it.each([
    ['a text: x', 'a text'],
    ['a integer[] = 1, 2: x', 'a integer[] = [1,2]'],
    ['a timestamp = 2025-01-01 10:00:00: first', 'a timestamp = 2025-01-01 10:00:00'],
    ['a text = "a: b": x', 'a text = a: b'],
    ['a one of "in transit", paid optional: x', 'a one of in transit, paid optional'],
    ['a one of required, optional = optional: x', 'a one of required, optional = optional'],
    ['a boolean = false', 'a boolean = false'],
    ['a numeric(10,2) optional: x', 'a numeric(10,2) optional'],
    ['a ::interger: x', 'a interger'],
    ['a timestamp with time zone: x', 'a timestamp with time zone'],
    ['a text matching /[a-z]+=?\\d/ = abc1: x', 'a text = abc1'],
    ['a json = {"a": 1}: x', 'a json = {"a":1}'],
    ['a text: either/or: b, c/d', 'a text'],
  ])('declares the parameter %s', (line, shown) => {
    expect(formatParam(paramOf(line))).toBe(shown);
  });

  it('takes examples from the end of a description', () => {
    expect(paramOf('a integer: Which. Examples: 1, 2').examples).toEqual([1, 2]);
    expect(paramOf('a text[]: Which. Examples: x, y').examples).toEqual([['x', 'y']]);
    expect(paramOf('a text: Example: a b').examples).toEqual(['a b']);
  });

  it.each(['Orders', 'a__b', '_a', 'a-b', 'ordes\u202e', 'x'.repeat(49), 'a b', ''])('refuses the name %j', (name) => {
    expect(parse(`-- tool: ${name}\n-- description: x\nselect 1`).issues).not.toEqual([]);
  });

  it('refuses what a reviewer cannot see', () => {
    expect(parse('-- tool: a_b\n-- description: x\nselect 1 -- \u202e').issues).toEqual([
      { line: 3, message: 'the line has the invisible character U+202E; remove it, or write an escape of the engine' },
    ]);
    expect(parse('-- tool: a_b\n-- description: x\nselect \u0000').issues[0]?.message).toContain('U+0000');
    expect(parseQueryFile(Buffer.from([0x2d, 0xff]), rules).issues[0]?.message).toContain('not UTF-8');
  });

  it('refuses a thousand parameters and a header without a statement', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `-- param p${index} integer: x`).join('\n');
    const { issues } = parse(`-- tool: a_b\n-- description: x\n${many}\nselect 1`);
    expect(issues).toContainEqual({ line: 53, message: 'there are 1000 parameters; expected at most 50' });
    expect(parse('-- tool: a_b\n-- description: x\n').issues[0]?.message).toContain('nothing follows the header');
    expect(parse('').issues.length).toBeGreaterThan(0);
  });
});
