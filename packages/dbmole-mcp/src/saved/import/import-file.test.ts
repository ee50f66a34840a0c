import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '@dbmole/core';
import { createFakeTerminal } from '@dbmole/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { definition } from '../../server.ts';

const toolbox = `
sources:
  shop:
    kind: postgres
    host: 127.0.0.1
tools:
  search-hotels-by-name:
    kind: postgres-sql
    source: shop
    description: |
      Search for hotels by a part of the name.
      Example: Hilton
    parameters:
      - name: hotelName
        type: string
        description: The name of the hotel.
      - name: min_stars
        type: integer
        description: Stars at least.
        default: 3
      - name: cities
        type: array
        description: Any of these cities.
        required: false
        items: { name: city, type: string, description: a city }
    statement: |
      SELECT id, name, '$1 is text' AS note -- $2 is a comment
      FROM hotels WHERE name ILIKE '%' || $1 || '%' AND stars >= $2 AND ($3 IS NULL OR city = ANY($3)) AND name <> $1
  book-hotel:
    kind: postgres-sql
    source: shop
    description: Books a hotel.
    parameters:
      - { name: id, type: integer, description: id of the hotel }
    statement: UPDATE hotels SET booked = true WHERE id = $1
  top-hotels:
    kind: postgres-sql
    source: shop
    description: The best of them.
    parameters:
      - { name: limit, type: integer, description: how many, default: 10, minValue: 1, maxValue: 100 }
    statement: SELECT id FROM hotels ORDER BY stars DESC LIMIT $1
  not-all:
    kind: postgres-sql
    source: shop
    description: Those of a city.
    parameters:
      - { name: city, type: string, description: the city, excludedValues: [Bern] }
    statement: SELECT id FROM hotels WHERE city = $1
  by-pattern:
    kind: postgres-sql
    source: shop
    description: Those of a city.
    parameters:
      - { name: city, type: string, description: the city, allowedValues: ["^B.*"] }
    statement: SELECT id FROM hotels WHERE city = $1
  by-table:
    kind: postgres-sql
    source: shop
    description: Lists any table.
    templateParameters:
      - { name: table, type: string, description: name of a table }
    statement: SELECT * FROM {{.table}}
  mine:
    kind: postgres-sql
    source: shop
    description: My orders.
    parameters:
      - { name: user, type: string, description: the user, authServices: [{ name: google, field: sub }] }
    statement: SELECT * FROM orders WHERE owner = $1
  in-bigquery:
    kind: bigquery-sql
    source: shop
    description: Elsewhere.
    statement: SELECT 1
`;

const secondFormat = `
kind: source
name: shop
type: mysql
---
kind: tool
name: orders_of
type: mysql-sql
source: shop
description: Orders of one customer
parameters:
  - name: customer
    type: integer
    description: id of the customer
  - name: state
    type: string
    description: their state
    allowedValues: [paid, sent]
statement: select '?' as mark, id from orders where customer = ? and state = ? -- really?
`;

const dbhub = `
[[sources]]
id = "shop"
dsn = "mysql://reader@127.0.0.1/shop"

[[sources]]
id = "files"
type = "sqlite"

[[tools]]
name = "execute_sql"
source = "shop"
readonly = true

[[tools]]
name = "salaries_above"
source = "shop"
description = "Employees with a salary above"
statement = "SELECT name FROM employees WHERE salary > ? AND level = ? LIMIT 20"
max_rows = 50
[[tools.parameters]]
name = "amount"
type = "float"
description = "salary"
[[tools.parameters]]
name = "level"
type = "string"
description = "level"
required = false
default = "senior one"
allowed_values = ["junior", "senior one"]

[[tools]]
name = "too_few"
source = "shop"
description = "Broken"
statement = "SELECT ? + ?"
[[tools.parameters]]
name = "a"
type = "integer"
description = "a number"

[[tools]]
name = "fire"
source = "shop"
description = "Refused there"
readonly = true
statement = "DELETE FROM employees"

[[tools]]
name = "of_a_file"
source = "files"
description = "Elsewhere"
statement = "SELECT 1"
`;

describe('queries import', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'import-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function importText(name: string, text: string, ...options: string[]) {
    writeFileSync(join(folder, name), text);
    const env = { DBMOLE_STORE: join(folder, 'store', 'connections.json') };
    const terminal = createFakeTerminal({ argv: ['queries', 'import', join(folder, name), ...options], env, folder });
    const code = await runProgram(definition, terminal);
    return { code, printed: terminal.printed, errors: terminal.complained };
  }
  const readQuery = (name: string) => readFileSync(join(folder, 'store', 'queries', `${name}.sql`), 'utf8');

  it('writes the tools of MCP Toolbox with named parameters, and says what it left out', async () => {
    const { code, printed } = await importText('tools.yaml', toolbox);
    expect(code).toBe(1);
    expect(readdirSync(join(folder, 'store', 'queries')).sort()).toEqual([
      ...['book_hotel.sql', 'search_hotels_by_name.sql', 'top_hotels.sql'],
    ]);
    expect(readQuery('search_hotels_by_name')).toBe(`-- tool: search_hotels_by_name
-- description: Search for hotels by a part of the name. e.g. Hilton
-- connection: shop
-- param hotel_name text: The name of the hotel.
-- param min_stars integer = 3: Stars at least.
-- param cities text[] optional: Any of these cities.
SELECT id, name, '$1 is text' AS note -- $2 is a comment
FROM hotels WHERE name ILIKE '%' || :hotel_name || '%' AND stars >= :min_stars AND (:cities IS NULL OR city = ANY(:cities)) AND name <> :hotel_name
`);
    expect(readQuery('book_hotel')).toContain('-- effect: write\nUPDATE hotels SET booked = true WHERE id = :id');
    expect(printed).toMatch(/wrote .*book_hotel\.sql, which changes data \(effect: write\)/);
    expect(readQuery('top_hotels')).toContain('ORDER BY stars DESC LIMIT :limit_value');
    expect(printed).toMatch(
      /top_hotels\.sql, its parameter limit renamed to limit_value, without minValue and maxValue of limit_value$/m,
    );
    for (const name of ['not_all', 'by_pattern'])
      expect(printed).toContain(`left out ${name}: its parameter city is limited by excludedValues or by a regular expression`);
    expect(printed).toContain('left out by_table: its template parameters are pasted into the statement');
    expect(printed).toContain('left out mine: its parameter user comes from a sign-in');
    expect(printed).toContain('left out in_bigquery: it is for "bigquery-sql", which this server does not speak');
  });

  it('reads a document for each tool, and question marks outside of texts and comments', async () => {
    expect((await importText('tools.yml', secondFormat)).code).toBe(0);
    expect(readQuery('orders_of')).toContain(`-- param state one of paid, sent: their state
select '?' as mark, id from orders where customer = :customer and state = :state -- really?`);
  });

  it('writes the custom tools of dbhub', async () => {
    const { code, printed } = await importText('dbhub.toml', dbhub);
    expect(code).toBe(1);
    expect(readQuery('salaries_above')).toBe(`-- tool: salaries_above
-- description: Employees with a salary above
-- connection: shop
-- param amount number: salary
-- param level one of junior, senior one = "senior one": level
-- limit: 50
SELECT name FROM employees WHERE salary > :amount AND level = :level LIMIT 20
`);
    expect(printed).toContain('left out too_few: its statement has ? as value 2, but it declares 1 parameters');
    expect(printed).toContain('left out of_a_file: it is for "sqlite", which this server does not speak');
    expect(printed).toContain('left out fire: DELETE is not a read');
    expect(printed).not.toContain('execute_sql');
  });

  it('never replaces a file, and lets no tool that writes into a project', async () => {
    await importText('tools.yaml', toolbox);
    expect((await importText('tools.yaml', toolbox)).printed).toMatch(/left out book_hotel: .*book_hotel\.sql exists already/);
    const { printed } = await importText('tools.yaml', toolbox, '--project');
    expect(printed).toMatch(/left out book_hotel: UPDATE is not a read/);
    expect(printed).toMatch(/wrote .*\.dbmole\/queries\/search_hotels_by_name\.sql/);
  });

  it.each([
    ['tools.yaml', 'tools: [', /cannot read .*tools\.yaml: /],
    ['dbhub.toml', '[[tools', /cannot read .*dbhub\.toml: /],
    ['tools.json', '{}', /cannot tell what .*tools\.json is: expected tools\.yaml of MCP Toolbox, or dbhub\.toml/],
  ])('says what is wrong with %s', async (name, text, expected) => {
    const { code, errors } = await importText(name, text);
    expect(code).not.toBe(0);
    expect(errors).toMatch(expected);
  });

  it('names a file that is not there, and says when there is nothing in it', async () => {
    const terminal = createFakeTerminal({ argv: ['queries', 'import', 'nothing.yaml'], env: {}, folder });
    expect(await runProgram(definition, terminal)).not.toBe(0);
    expect(terminal.complained).toMatch(/there is no file .*nothing\.yaml/);
    expect((await importText('tools.yaml', 'sources: {}')).printed).toMatch(/has no tools with a statement of their own/);
  });
});
