import { describe, expect, it } from 'vitest';
import { type LeafSetting, readSettings } from './settings.ts';

const settings: LeafSetting[] = [
  { name: 'out-dir', value: 'DIR', help: 'where to', isPath: true },
  { name: 'word', value: 'WORD', help: 'which', isPath: false },
];
const read = (given: Record<string, string>, env: Record<string, string>) =>
  readSettings(settings, { app: 'demo', given, env, cwd: '/somewhere' });

describe('the settings of a leaf', () => {
  it('come from the command line, else from the environment', () => {
    expect(read({ word: 'a' }, { DEMO_WORD: 'b' })).toMatchObject({ word: 'a' });
    expect(read({}, { DEMO_WORD: 'b' })).toMatchObject({ word: 'b' });
    expect(read({}, {})).toEqual({ 'out-dir': undefined, word: undefined });
  });

  it('are not there when they are empty', () => {
    expect(read({ word: '' }, { DEMO_OUT_DIR: '' })).toEqual({ 'out-dir': undefined, word: undefined });
  });

  it('have paths that begin at the working directory', () => {
    expect(read({ 'out-dir': 'sub' }, {})).toMatchObject({ 'out-dir': '/somewhere/sub' });
    expect(read({}, { DEMO_OUT_DIR: '/else' })).toMatchObject({ 'out-dir': '/else' });
  });
});
