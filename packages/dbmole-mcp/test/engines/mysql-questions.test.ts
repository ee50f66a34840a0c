import { useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import { runDirect } from '../direct.ts';
import { mysqlEngines, read, readValue } from './mysql-rig.ts';
import { useSessions } from './mysql-sessions.ts';

describe.each(mysqlEngines)('a catalog question on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const open = useSessions(engine);
  const database = `questions_${id}`;
  const direct = (...statements: string[]) => runDirect(engine(), statements);
  const count = `SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '${database}' LIMIT 1`;
  const isBounded = true;

  beforeAll(() => direct(`CREATE DATABASE ${database}`, `CREATE TABLE ${database}.seen (id INT) ENGINE=InnoDB`));

  it('shares its snapshot with the next question, but not with a later one', async () => {
    const session = await open();
    expect(await readValue(session, count, { isBounded })).toBe('1');
    const [first] = await Promise.all([
      readValue(session, count, { isBounded }),
      direct(`CREATE TABLE ${database}.second (id INT)`),
    ]);
    expect(first).toBe('1');
    // The table may have been created before the snapshot ends.
    await expect.poll(() => readValue(session, count, { isBounded }), { timeout: 20_000 }).toBe('2');
    expect(await readValue(session, count)).toBe('2');
  });

  it('sees new rows after a while within a series of questions', async () => {
    const session = await open();
    const adding = direct(`CREATE TABLE ${database}.third (id INT)`);
    let isAdded = false;
    void adding.then(() => {
      isAdded = true;
    });
    for (let seen: unknown; !isAdded || seen !== '3'; ) seen = await readValue(session, count, { isBounded });
    await adding;
  });

  it('holds no lock afterwards and ignores the row limit of another read', async () => {
    const session = await open();
    await readValue(session, 'SELECT 1', { maxRows: 1, timeoutMs: 15_000 });
    const { rows } = await read(session, 'SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 LIMIT 9', { isBounded, maxRows: 9 });
    expect(rows).toHaveLength(3);
    await readValue(session, count, { isBounded });
    await direct('SET SESSION lock_wait_timeout = 10', `ALTER TABLE ${database}.seen ADD COLUMN more INT`);
  });
});
