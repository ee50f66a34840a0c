import { describe, expect, it } from 'vitest';
import { confirmReveal } from './confirm-reveal.ts';

function answer(text: string | undefined, isTerminal = true) {
  const asked: string[] = [];
  const terminal = {
    isTerminal,
    async ask(question: string) {
      asked.push(question);
      return text;
    },
  };
  return { asked, reveal: () => confirmReveal(terminal, 'prod') };
}

describe('confirmReveal', () => {
  it('wants the name of the connection', async () => {
    expect(await answer(' prod ').reveal()).toBe(true);
    for (const text of ['y', 'yes', '', 'PROD']) await expect(answer(text).reveal()).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('refuses without a terminal, and does not ask where the answer would go elsewhere', async () => {
    await expect(answer(undefined).reveal()).rejects.toMatchObject({ kind: 'refused' });
    const piped = answer('prod', false);
    await expect(piped.reveal()).rejects.toMatchObject({ kind: 'refused' });
    expect(piped.asked).toEqual([]);
  });
});
