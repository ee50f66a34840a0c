import { describe, expect, it } from 'vitest';
import { frontProblems } from './front-plugin.ts';

describe('frontProblems', () => {
  const input = { bytes: 1, imports: [] };

  it('names each package that a front would load', () => {
    const inputs = { 'packages/core/src/a.ts': input, 'node_modules/zod/a.js': input, 'node_modules/zod/b.js': input };
    expect(frontProblems({ inputs })).toEqual(['the front of --shared loads zod']);
  });

  it('accepts our own files and the modules of Node', () => {
    const inputs = { 'packages/core/src/a.ts': input, 'builtin:node:net?/w/node_modules/x/a.js': input };
    expect(frontProblems({ inputs })).toEqual([]);
  });
});
