import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../steps.ts';

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const folders: Readonly<Record<string, string>> = { C: 'packages/core/src', D: 'packages/dbmole-mcp/src' };
const steps = [...page.matchAll(/^\d+\. ([CD]) `([^`]+)` `([^`]+)`:/gm)].map(([, place = '', file = '', name = '']) => ({
  path: join(folders[place] ?? '', file),
  name,
}));

describe('the walk through one query', () => {
  it('has at most 120 steps', () => {
    expect(steps.length).toBeGreaterThan(40);
    expect(steps.length).toBeLessThanOrEqual(120);
  });

  it('names functions that exist', () => {
    const isDefined = (text: string, name: string) =>
      new RegExp(`(function\\*? |const |async |get |readonly |^\\s+)${name}(<[^\\n]*>)?( =|[(:])`, 'm').test(text);
    const missing = steps.filter(
      ({ path, name }) => !existsSync(join(root, path)) || !isDefined(readFileSync(join(root, path), 'utf8'), name),
    );
    expect(missing).toEqual([]);
  });
});
