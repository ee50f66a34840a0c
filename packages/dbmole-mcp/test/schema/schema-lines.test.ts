import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '@dbmole/core';
import { createFakeTerminal, createTempFolder } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../../src/server.ts';
import { engines, useBookshop } from './bookshop.ts';

describe.each(engines)('the schema as lines on %s', (id) => {
  const shop = useBookshop(id, 'lines');
  let folder: ReturnType<typeof createTempFolder>;
  beforeAll(() => {
    folder = createTempFolder();
  });
  afterAll(() => folder[Symbol.dispose]());

  async function run(...argv: string[]) {
    const env = { DBMOLE_CONNECTIONS: JSON.stringify([{ ...shop.account(), name: 'shop', tls: 'disable' }]) };
    const terminal = createFakeTerminal({ argv: ['schema', 'shop', ...argv], env });
    const code = await runProgram(definition, terminal);
    return { code, lines: terminal.printed.trimEnd().split('\n'), err: terminal.complained };
  }

  it('has one for each table and column, which say all of it', async () => {
    const { code, lines } = await run();
    expect(code).toBe(0);
    expect(lines).toContain('books table');
    expect(lines.join('\n')).toMatch(/^books\.publisher_id int\S* -> publishers\.id NO ACTION \[books_publisher\]$/m);
    expect(lines).toContain('reviews PK (book_id, reader)');
    expect(lines).toContain('books INDEX books_state btree (state, pages)');
    expect(lines.join('\n')).toMatch(/^long_books AS .*pages/im);
    expect(new Set(lines).size).toBe(lines.length);
    if (shop.isPostgres) expect(lines).toContain('diary POLICY diary_own FOR SELECT TO public USING (owner = CURRENT_USER)');
  });

  it('shows what differs from an earlier file, and says so with its exit code', async () => {
    const file = join(folder.path, 'schema.txt');
    writeFileSync(file, `${(await run()).lines.join('\n')}\n`);
    const same = await run('--diff', file);
    expect(same).toMatchObject({ code: 0, lines: [''] });
    expect(same.err).toMatch(/^No difference from /);
    await shop.exec("insert into imports values ('a'), ('b')", 'alter table loans add returned date', 'drop table audit_log');
    const changed = await run('--diff', file);
    expect(changed.code).toBe(3);
    expect(changed.lines).toContain('+ loans.returned date?');
    expect(changed.lines).toContain('- audit_log table');
    expect(changed.lines.every((line) => /^[+-] (?:loans\.returned|audit_log)/.test(line))).toBe(true);
    const missing = await run('--diff', join(folder.path, 'no-such-file'));
    expect(missing.code).toBe(2);
    expect(missing.err).toMatch(/there is no such file/);
  });
});
