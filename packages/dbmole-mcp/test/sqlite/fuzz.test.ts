import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createTempFolder } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { tokenize } from '../../src/engines/sqlite/guard/text/lexer.ts';
import { checkTokens } from '../../src/engines/sqlite/guard/text/statement.ts';
import { checkText } from '../../src/guard/read-statement.ts';
import { canaries, rules, worldSql } from '../columns/sqlite-world.ts';
import { createSeededRandom } from '../guard/seeded-random.ts';
import { openTools } from '../open-tools.ts';
import { makeQuery, makeStatement } from './fuzz-statements.ts';
import { shopSql } from './shop-sqlite.ts';
import { nodeLines, runSql, useSqlite } from './sqlite-file.ts';

/** Any will do; with a fixed one, a red run can be repeated. `SQLITE_FUZZ_ROUNDS=100` makes a hundred times as many. */
const seed = 20_261_120;
const rounds = Number(process.env.SQLITE_FUZZ_ROUNDS ?? 1);

/**
 * Runs statements on a file that may be written, with none of the other walls, and prints those after which a file of the folder is not
 * what it was.
 */
const oracle = `process.removeAllListeners('warning');
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
const { createHash } = require('node:crypto');
const { readFileSync, readdirSync, copyFileSync, rmSync } = require('node:fs');
const [folder, file, kept] = process.argv.slice(1);
const look = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  .map((one) => one.parentPath + one.name + createHash('sha1').update(readFileSync(one.parentPath + '/' + one.name)).digest('hex')).sort().join();
const before = look();
const changed = [];
for (const sql of JSON.parse(readFileSync(0, 'utf8'))) {
  const db = new DatabaseSync(file);
  try { db.prepare(sql).all(); } catch {}
  db.close();
  if (look() === before) continue;
  changed.push(sql);
  for (const name of readdirSync(folder, { recursive: true })) if (/\\.db/.test(name)) rmSync(folder + '/' + name);
  copyFileSync(kept, file);
}
console.log(JSON.stringify(changed));`;

describe.each(nodeLines)('random statements on SQLite in Node %s', (line) => {
  const node = useSqlite(line);

  function findChanging(isRead: (sql: string) => boolean, count: number): { accepted: number; changed: string[] } {
    using folder = createTempFolder();
    using beside = createTempFolder();
    mkdirSync(folder.at('out'));
    runSql(node(), folder.at('app.db'), shopSql);
    copyFileSync(folder.at('app.db'), beside.at('kept.db'));
    const random = createSeededRandom(seed + line);
    const statements = Array.from({ length: count }, () => makeStatement(random, folder.at('out')));
    const accepted = statements.filter(isRead);
    const args = ['-e', oracle, folder.path, folder.at('app.db'), beside.at('kept.db')];
    return {
      accepted: accepted.length,
      changed: JSON.parse(execFileSync(node(), args, { input: JSON.stringify(accepted), encoding: 'utf8' })),
    };
  }

  it(
    'change nothing if the guard takes them for reads, although nothing else would stop them',
    () => {
      const { accepted, changed } = findChanging(isTakenForRead, 3_000 * rounds);
      expect(changed).toEqual([]);
      expect(accepted).toBeGreaterThan(80);
      // The oracle sees what a guard lets pass that takes everything for a read.
      expect(findChanging(() => true, 300).changed.length).toBeGreaterThan(3);
    },
    60_000 * rounds,
  );

  it(
    'show nothing of protected columns',
    async () => {
      using folder = createTempFolder();
      runSql(node(), folder.at('main.db'), worldSql);
      const file = { type: 'sqlite', file: folder.at('main.db') };
      const tools = await openTools([
        { ...file, name: 'main', columns: rules },
        { ...file, name: 'open' },
      ]);
      try {
        const random = createSeededRandom(seed);
        const texts: Record<string, string> = {};
        for (let i = 0; i < 5 * rounds; i += 1) {
          const sql = Array.from({ length: 20 }, () => makeQuery(random));
          for (const connection of i === 0 ? ['main', 'open'] : ['main']) {
            const { text } = await tools.call('query', { connection, sql, limit: 6 });
            if (connection === 'main') expect([sql, text.match(canaries)?.[0]]).toEqual([sql, undefined]);
            expect(text).not.toContain('E_INTERNAL');
            texts[connection] = `${texts[connection] ?? ''}${text}`;
          }
        }
        expect(texts.main).toMatch(/masked by policy/);
        // Without the policy the same statements show them.
        expect(texts.open?.match(new RegExp(canaries, 'g'))?.length).toBeGreaterThan(20);
      } finally {
        await tools.close();
      }
    },
    60_000 * rounds,
  );
});

function isTakenForRead(sql: string): boolean {
  try {
    checkText(sql);
    checkTokens(tokenize(sql));
    return true;
  } catch {
    return false;
  }
}
