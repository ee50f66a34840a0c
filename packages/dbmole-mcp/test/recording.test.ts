import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { createTempFolder, openOtlpCollector } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];
const canary = 'Canary735173517351';
const literals = {
  postgres: [
    `'${canary}'`,
    `'it''s ${canary}'`,
    `E'\\'${canary}'`,
    `$$${canary}$$`,
    `$a$ '${canary} $a$`,
    `U&'\\0041${canary}'`,
    `N'${canary}'`,
    `'{"a": "${canary}"}'::json`,
    '735173517351.5',
    '$1',
  ],
  mysql: [
    `'${canary}'`,
    `"${canary}"`,
    `"it""s ${canary}"`,
    `'\\'${canary}'`,
    `_utf8mb4'${canary}'`,
    `N'${canary}'`,
    `x'735173517351'`,
    '0x735173517351',
    '735173517351.5e1',
    '?',
  ],
};
const frames = [
  (a: string, b: string) => `select ${a} as x, concat(${b}, 'x')`,
  (a: string, b: string) => `select t.a /* ${canary} */ from things t where t.a = ${a} or t.b in (${b}, ${a})`,
  (a: string, b: string) => `select case when ${a} = ${b} then 1 else 2 end -- ${canary}`,
  (a: string, b: string) => `with x as (select ${a} as y) select * from x where y like ${b} limit 735173517351`,
  (a: string, b: string) => `select count(*) from things group by a having max(b) > ${a} order by ${b}`,
  (a: string, b: string) => `update things set b = ${a} where b = ${b}`,
  (a: string, b: string) => `selct ${a}, ${b} from things`,
  (a: string, b: string) => `select nope from things where b = ${a} and a = ${b}`,
  (a: string) => `select ${a} from nowhere where b = '${canary}`,
  (a: string, b: string) => `insert into things values (735173517351, ${a}), (735173517351, ${b})`,
  (a: string, b: string) => `explain select ${a} from things where b <> ${b}`,
];

describe.each(engines)('what is recorded of calls on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const folder = createTempFolder();
  const log = folder.at('log', 'audit.jsonl');
  let account: Account;
  let tools: OpenTools;
  let collector: Awaited<ReturnType<typeof openOtlpCollector>>;
  const call = async (name: string, args: object) => (await tools.call(name, { connection: 'main', ...args })).text;
  const isPostgres = () => account.type === 'postgres';

  beforeAll(async () => {
    account = await createAccount(engine(), `recording_${id}`);
    await runDirect(
      { ...engine(), ...account },
      ['create table things (a int, b varchar(100))', 'create table seen (q varchar(400))'],
      account.database,
    );
    mkdirSync(folder.at('log'));
    collector = await openOtlpCollector();
    const people = [
      'create table people (id int primary key, email varchar(50))',
      "insert into people values (1, 'hidden-7351'), (2, 'hidden-7351'), (3, 'hidden-7351')",
      'analyze table people',
    ].map((sql) => (isPostgres() ? sql.replace('analyze table', 'analyze') : sql));
    await runDirect({ ...engine(), ...account }, people, account.database);
    const masked = { ...account, name: 'masked', columns: { 'people.email': 'mask' } };
    const asking = { ...account, name: 'asking', writes: 'ask' };
    tools = await openTools([{ ...account, name: 'main' }, masked, asking], {
      DBMOLE_AUDIT: log,
      DBMOLE_TAG: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_MAX_QUEUE_SIZE: '10000',
    });
  }, 60_000);
  afterAll(async () => {
    await collector.close();
    folder[Symbol.dispose]();
  });

  it('marks each statement, and positions count in the text of the caller', async () => {
    const shown = isPostgres()
      ? 'select query from pg_stat_activity where pid = pg_backend_pid()'
      : 'select info from information_schema.processlist where id = connection_id()';
    const tag = /\/\* dbmole-mcp client=[\w.-]+ trace=[0-9a-f]{32} \*\/ select/;
    expect(await call('query', { sql: shown })).toMatch(tag);
    expect(await call('query', { sql: [shown, 'select 1'] })).toMatch(tag);
    // Each statement of a transaction keeps its own text, as a trigger or a log would see it.
    const keep = isPostgres()
      ? 'insert into seen select query from pg_stat_activity where pid = pg_backend_pid()'
      : 'insert into seen select info from information_schema.processlist where id = connection_id()';
    // A list on MariaDB cannot read the list of sessions, which has no transactions.
    if (!id.startsWith('mariadb')) {
      expect(await call('execute', { sql: [keep, keep] })).toMatch(/^All 2 statements were committed/);
      expect(await call('query', { sql: 'select count(*), min(q), max(q) from seen' })).toMatch(
        /\n2,\/\* dbmole-mcp client=[\w.-]+ trace=[0-9a-f]{32} \*\/ insert[^\n]*,\/\* dbmole-mcp /,
      );
    }
    if (isPostgres()) expect(await call('execute', { sql: [keep, 'update things set nope = 1'] })).toContain('position 19)');
    const place = isPostgres() ? '$1' : '?';
    expect(await call('query', { sql: `select ${place} as a`, params: ['x'] })).toMatch(/a\nx$/);
    if (isPostgres()) {
      expect(await call('query', { sql: 'select nope from things' })).toContain('position 8)');
      expect(await call('query', { sql: ['select nope from things'] })).toContain('position 8)');
      expect(await call('execute', { sql: 'update things set nope = 1' })).toContain('position 19)');
    }
    expect(await call('query', { sql: 'select a from things whre a = 1' })).toMatch(/At: .*\n +\^/);
    expect(await call('execute', { sql: 'insert into things values (1, null)' })).toBe('INSERT changed 1 row.');
  });

  it('hides protected columns from rows and plans as without a record', async () => {
    const sql = 'select p.id from people p join people q on q.email = p.email where p.id = 1';
    for (const args of [{ sql }, { sql, analyze: true }, { sql, raw: true }])
      expect(await call('explain', { connection: 'masked', ...args })).not.toMatch(/hidden-7351|^E_/);
    const described = await call('describe_table', { connection: 'masked', tables: ['people'], parts: ['stats', 'sample'] });
    expect(described).toContain('email');
    expect(described).not.toMatch(/hidden-7351|^E_/);
    expect(await call('query', { connection: 'masked', sql: 'select email from people' })).toMatch(/masked by policy.*\*\*\*/s);
  });

  it('has no literal and no parameter of 1,000 statements', async () => {
    const part = fc.constantFrom(...literals[isPostgres() ? 'postgres' : 'mysql']);
    const statement = fc.tuple(fc.constantFrom(...frames), part, part).map(([frame, a, b]) => frame(a, b));
    const all = fc.sample(statement, { numRuns: 1_000, seed: 7351 });
    for (let at = 0; at < 900; at += 20) await call('query', { sql: all.slice(at, at + 20) });
    for (const sql of all.slice(900, 960)) await call('query', { sql, params: [canary, 735173517351] });
    for (const sql of all.slice(960)) await call('execute', { sql, params: [canary], dry_run: true });
    await call('explain', { sql: `select * from things where b = '${canary}'` });
  }, 120_000);

  it('records what waits for a person as such, with its text', async () => {
    const list = ["insert into things values (7, 'a')", "insert into things values (8, 'a')"];
    for (const sql of [list, 'create table other (a int)'])
      expect(await call('execute', { connection: 'asking', sql })).toMatch(/^E_APPROVAL_NEEDED/);
    const readEnded = () =>
      readFileSync(log, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ connection, verdict }) => connection === 'asking' && verdict !== 'begun');
    const text = 'insert into things values (?, ?)';
    const refused = { tool: 'execute', verdict: 'refused', code: 'E_APPROVAL_NEEDED' };
    await expect.poll(readEnded).toMatchObject([
      { ...refused, text },
      { ...refused, text },
      { ...refused, text: 'create table other (a int)' },
    ]);
  });

  it('lets nothing change while the log cannot be written, and says so once', async () => {
    const count = async () =>
      String(await runDirect({ ...engine(), ...account }, ['select count(*) from things'], account.database));
    const before = await count();
    renameSync(folder.at('log'), folder.at('away'));
    try {
      expect(await call('query', { sql: 'select 1' })).toMatch(/^the audit log .* cannot be written \(ENOENT\); reads go on/);
      expect(await call('query', { sql: 'select 1' })).not.toContain('audit log');
      expect(await call('execute', { sql: 'insert into things values (2, null)' })).toMatch(/^E_AUDIT: the audit log /);
      const list = ['insert into things values (3, null)', 'insert into things values (4, null)'];
      expect(await call('execute', { sql: list })).toMatch(/E_AUDIT: .*the audit log /);
      expect(await count()).toBe(before);
    } finally {
      renameSync(folder.at('away'), folder.at('log'));
    }
    expect(await call('execute', { sql: 'delete from things where a = 1' })).toBe('DELETE changed 1 row.');
  });

  it('is in the log and in the spans alike', async () => {
    await tools.close();
    const text = readFileSync(log, 'utf8');
    expect(text.match(/Canary|735173517351|pw-of/)).toBeNull();
    expect(collector.text.match(/Canary|735173517351|pw-of/)).toBeNull();
    expect(collector.problems).toEqual([]);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ tool, kind }) => tool === 'query' && kind === 'read').length).toBeGreaterThan(950);
    expect(lines.some(({ verdict }) => verdict === 'lost')).toBe(true);
    expect(lines.at(-1)).toMatchObject({
      tool: 'execute',
      kind: 'dml',
      text: 'delete from things where a = ?',
      verdict: 'ok',
      changed: 1,
    });
    expect(lines.at(-2)).toMatchObject({
      verdict: 'begun',
      account: account.user,
      connection: 'main',
      database: account.database,
    });
    expect(lines.filter(({ code }) => code === 'E_NOT_A_READ').length).toBeGreaterThan(50);
    const names = collector.spans.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['tools/call query', 'tools/call execute', 'DELETE things', 'SELECT things']));
    const span = JSON.stringify(collector.spans.find(({ name }) => name === 'DELETE things'));
    expect(span).toContain(isPostgres() ? 'postgresql' : 'mysql');
  });
});
