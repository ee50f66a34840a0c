import { Failure } from '@dbmole/core';
import { failureOf } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { useExecute } from './engines/mysql/guard/refuse.ts';
import { definition, refusals } from './engines/postgres/guard/refusals.ts';
import { personQuery } from './person-query.ts';

const answer = { columns: () => undefined, row: () => true, text: () => undefined };

async function refused(hint: string | undefined) {
  const failure = new Failure('refused', 'no read', {
    code: 'E_NOT_A_READ',
    position: 7,
    ...(hint === undefined ? {} : { hint }),
  });
  const backend = { read: () => Promise.reject(failure) };
  const question = { words: ['delete'], limit: 1, database: undefined, signal: new AbortController().signal, answer };
  return { failure, said: await failureOf(personQuery.run(backend, question)) };
}

describe('what is refused to a person', () => {
  it.each([...new Set([useExecute, definition.hint, ...[...refusals.values()].map(({ hint }) => hint)])])(
    'has a way out that a person has, for %j',
    async (hint) => {
      const { said } = await refused(hint);
      expect(said).toMatchObject({ code: 'E_NOT_A_READ', message: 'no read', position: 7, hint });
      expect(said.personHint ?? hint).not.toMatch(/^Use `|`export_query`|\bwith params\b/);
    },
  );

  it('says that the command only reads', async () => {
    expect((await refused(useExecute)).said.personHint).toContain('This command only ever reads');
  });

  it.each(['Check the name.', undefined])('is left alone where the hint %j fits both', async (hint) => {
    const { failure, said } = await refused(hint);
    expect(said).toBe(failure);
  });
});
