import { expect, it } from 'vitest';
import { createLog } from './log.ts';

it('is one line of characters that can be seen', () => {
  const lines: string[] = [];
  createLog('x', 'info', (line) => lines.push(line))('warn', 'a\nb\u001b[2J\u202ec', { path: '/e\u001b' });
  expect(lines.join('')).toContain('x warn a | b⟦U+001B⟧[2J⟦U+202E⟧c path="/e\\u001b"');
});
