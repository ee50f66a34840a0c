import { expect, it } from 'vitest';
import { createFakeTerminal } from '../testing/fakes/fake-terminal.ts';
import { createNotes } from './terminal/terminal.ts';

const open = () => {
  const fake = createFakeTerminal();
  return { fake, notes: createNotes(fake, 'thing-mcp') };
};

it('shows notices at once, warnings once at the end, and nothing else', () => {
  const { fake, notes } = open();
  notes.log('notice', 'fetching', { into: '/tmp' });
  notes.log('info', 'open');
  notes.log('debug', 'unasked');
  notes.log('warn', 'the key is open', { file: '/k' });
  notes.log('warn', 'the key is open', { file: '/k' });
  expect(fake.complained).toBe('thing-mcp: fetching into="/tmp"\n');
  notes.tell();
  notes.tell();
  expect(fake.complained).toBe('thing-mcp: fetching into="/tmp"\nthing-mcp: the key is open file="/k"\n');
});

it.each(['print', 'printError'] as const)('says nothing that the command has said itself, by %s', (way) => {
  const { fake, notes } = open();
  notes.log('warn', 'the file is broken');
  notes.terminal[way]('E_X: the file is broken. Mend it.');
  notes.tell();
  expect(`${fake.printed}${fake.complained}`).toBe('E_X: the file is broken. Mend it.\n');
});
