import { describe, expect, it } from 'vitest';
import { failureOf } from '../../testing/failure-of.ts';
import { createFakeTerminal } from '../../testing/fakes/fake-terminal.ts';
import { askPerson, confirm } from './confirm.ts';

const ask = (answer: string | undefined, yes?: boolean) => {
  const terminal = createFakeTerminal({ answers: [answer] });
  return { terminal, confirmed: confirm(terminal, { question: 'Do it?', yes }) };
};

describe('confirm', () => {
  it.each(['y', 'Y', 'yes', ' YES '])('takes %j for a yes', async (answer) => {
    const { terminal, confirmed } = ask(answer);
    expect(await confirmed).toBe(true);
    expect(terminal.asked).toEqual(['Do it? [y/N] ']);
  });

  it.each(['', 'n', 'no', 'yeah', 'yes please', 'y\ny'])('takes %j for a no', async (answer) => {
    expect(await ask(answer).confirmed).toBe(false);
  });

  it('does not ask when the answer was given beforehand', async () => {
    const { terminal, confirmed } = ask('no', true);
    expect(await confirmed).toBe(true);
    expect(terminal.asked).toEqual([]);
  });

  it('refuses without a terminal and names the way out', async () => {
    const refused = {
      kind: 'refused',
      message: 'cannot prompt: standard input is not a terminal',
      hint: 'Run this in a terminal, or pass --yes.',
    };
    expect(await failureOf(ask(undefined).confirmed)).toMatchObject(refused);
    const asked = askPerson(createFakeTerminal(), { question: 'Which?', instead: 'name it' });
    expect(await failureOf(asked)).toMatchObject({ kind: 'refused', hint: 'Run this in a terminal, or name it.' });
  });
});
