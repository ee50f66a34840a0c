import { describe, expect, it } from 'vitest';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { createChecker } from './checker.ts';
import { createGuard } from './guard.ts';

/** A server without objects of its own, until a user creates a function. */
function serve() {
  const answers = { asked: 0 };
  const run: CatalogQuestion = async (sql) => {
    answers.asked += 1;
    return sql.includes('server_version_num') ? [['180000', null]] : [];
  };
  return { run, answers };
}

describe('a statement that was read a short while ago', () => {
  it('gets the same verdict, and is refused again', async () => {
    const guard = createGuard(createChecker());
    const { run } = serve();
    const first = await guard.check('select 1', run);
    expect(await guard.check('select 1', run)).toEqual(first);
    for (let n = 0; n < 2; n += 1)
      await expect(guard.check('select pg_sleep(1), lo_create(1)', run)).rejects.toThrow('lo_create');
  });

  it('is looked at again when the server has changed, and among many others', async () => {
    const guard = createGuard(createChecker());
    const { run, answers } = serve();
    await guard.check('select 1', run);
    const before = answers.asked;
    guard.forget();
    await guard.check('select 1', run);
    expect(answers.asked).toBeGreaterThan(before);
    for (let n = 0; n < 120; n += 1) await guard.check(`select ${n}`, run);
    await expect(guard.check('select lo_create(1)', run)).rejects.toThrow('lo_create');
    await guard.check(`select '${'x'.repeat(20_000)}'`, run);
  });
});
