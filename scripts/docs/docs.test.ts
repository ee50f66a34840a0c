import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tunnelFailures } from '../../packages/core/src/tunnel/failures.ts';
import { root } from '../steps.ts';
import { errorCodes } from './error-codes.ts';
import { isCurrent, pages } from './generate.ts';

const shipped = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'packages'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      /^packages\/(core|dbmole-mcp|esmole-mcp|molehub-mcp)\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/testing\//.test(file),
  );

describe('the generated pages', () => {
  it.each(Object.keys(pages))('%s is what the code says; `npm run docs` writes it', (file) => {
    expect(isCurrent(file)).toBe(true);
  });

  it('know every error code that is shipped, and no other', () => {
    const used = new Set(
      shipped.flatMap((file) =>
        [...readFileSync(join(root, file), 'utf8').matchAll(/\b(E_[A-Z0-9_]*[A-Z0-9])\b/g)].map(([, code]) => code),
      ),
    );
    const known = new Set([...Object.keys(errorCodes), ...Object.keys(tunnelFailures)]);
    expect([...used].filter((code) => code !== undefined && !known.has(code))).toEqual([]);
    expect(Object.keys(errorCodes).filter((code) => !used.has(code))).toEqual([]);
  });
});

describe('the pages', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '');

  it('lead to pages that are there', () => {
    const broken = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].flatMap(([, target = '']) =>
        files.includes(join(file, '..', target)) || !target.endsWith('.md') ? [] : [`${file} leads to ${target}`],
      ),
    );
    expect(broken).toEqual([]);
  });
});
