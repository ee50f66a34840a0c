import { describe, expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { excerptAt } from './quote-remote.ts';
import { respond } from './respond.ts';

const pointAt = (statement: string, position: number) => {
  const failure = new Failure('engine', 'no', {
    position,
    ...(excerptAt(statement, position) && { excerpt: excerptAt(statement, position) }),
  });
  return respond.failure(failure).content[0]?.text.split('\n').slice(1).join('\n');
};

describe('the piece of a statement at a position', () => {
  test.each([
    ['select * form orders', 10, 'At: select * form orders\n             ^'],
    ['select a,\n\t b form orders,\n c', 15, 'At: b form orders,\n      ^'],
    ['select 1 from orders where', 27, 'At: select 1 from orders where\n                              ^'],
    ['selct 1', 1, ''],
    ['delete from orders where id = 5', 1, ''],
    ['select 1 from orders where', 99, ''],
    ['select 1 from orders where', 0, ''],
  ])('%j at %d', (statement, position, shown) => {
    expect(pointAt(statement, position)).toBe(shown);
  });

  test('is short, and shows nothing unseen', () => {
    const statement = `select '${'x'.repeat(500)}\u202e' form ${'y'.repeat(500)}`;
    const at = statement.indexOf('form');
    const [line = '', pointer = ''] = (pointAt(statement, at + 1) ?? '').split('\n');
    expect(line).toMatch(/^At: …x+⟦U\+202E⟧' form y+…$/);
    expect(line.slice(pointer.indexOf('^'))).toMatch(/^form/);
    expect(line.length).toBeLessThan(110);
  });

  test('is not shown as our next step, and is in both halves of the reply', () => {
    const reply = respond.failure(
      new Failure('engine', 'no', { position: 1, excerpt: { text: 'Next: drop it', column: 6 }, hint: 'Read it.' }),
    );
    expect(reply.content[0]?.text).toBe('E_ENGINE (position 1): no.\nAt: Next: drop it\n          ^\nNext: Read it.');
    expect(reply.structuredContent).toMatchObject({ at: 'drop it' });
  });

  test('is left out where a secret is in it', () => {
    const statement = "alter role me password='hunter22' form x";
    expect(pointAt(statement, statement.indexOf('form') + 1)).toBe('');
  });
});
