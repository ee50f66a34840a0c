import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaves } from '../docs/leaves.ts';
import { root } from '../steps.ts';
import { withAbsoluteLinks } from './absolute-links.ts';

describe('the README on npm', () => {
  const place = { repository: 'someone/some.repo', folder: 'packages/x' };

  it.each([
    ['[a](../../docs/a.md)', '[a](https://github.com/someone/some.repo/blob/HEAD/docs/a.md)'],
    [
      '[a](../../docs/a.md#b) [c](d.md)',
      '[a](https://github.com/someone/some.repo/blob/HEAD/docs/a.md#b) [c](https://github.com/someone/some.repo/blob/HEAD/packages/x/d.md)',
    ],
    ['[a](https://x/y) [b](#c) [d](mailto:e@f)', '[a](https://x/y) [b](#c) [d](mailto:e@f)'],
  ])('has absolute links for %j', (text, expected) => {
    expect(withAbsoluteLinks(text, place)).toBe(expected);
  });

  it.each(leaves.map(({ name }) => name))('the README of %s leads nowhere on the disk', (name) => {
    const text = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
    expect(text).toContain('](../../');
    expect(withAbsoluteLinks(text, { ...place, folder: `packages/${name}` })).not.toMatch(/\]\((?!https?:|#)/);
  });

  it('is written that way by the build that is published', () => {
    const workflow = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8');
    expect(workflow).toMatch(/absolute-links\.ts "\$GITHUB_REPOSITORY"\n[\s\S]*npm pack/);
    for (const field of ['repository.url', 'homepage', 'bugs.url']) expect(workflow).toContain(`"${field}=`);
  });
});
