import { describe, expect, it } from 'vitest';
import { openServerFacts } from './server-facts.ts';

describe('openServerFacts', () => {
  it('knows the version, and takes no names for none', async () => {
    const facts = await openServerFacts(async () => [['140009', null, 'UTF8', '4294967300']]);
    expect(facts).toEqual({ major: 14, unreviewed: new Set(), isUtf8: true, oldestTransaction: 4 });
  });

  it('keeps of the names those that are in no list', async () => {
    const facts = await openServerFacts(async () => [['190001', 'nextval pg_explode pg_sleep pg_ls_new', 'LATIN1', '815']]);
    expect(facts).toEqual({ major: 19, unreviewed: new Set(['pg_explode']), isUtf8: false, oldestTransaction: 815 });
  });

  it('asks for the names of servers that are newer than the lists', async () => {
    const asked: unknown[] = [];
    await openServerFacts(async (_sql, params) => {
      asked.push(params);
      return [['180004', null]];
    });
    expect(asked).toEqual([['190000']]);
  });

  it('does not mind a server that counts otherwise', async () => {
    expect((await openServerFacts(async () => [['two', null]])).major).toBeNaN();
    expect((await openServerFacts(async () => [])).major).toBeNaN();
  });
});
