import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  process.exitCode = undefined;
});

/** The program's first file, as Node runs it, with these words on the command line. */
async function start(...words: string[]): Promise<{ stdout: string; stderr: string; code: unknown }> {
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text);
      return true;
    });
  }
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'esmole-mcp', ...words]);
  vi.resetModules();
  await import('./main.ts');
  return { ...written, code: process.exitCode };
}

it('starts the program', async () => {
  expect(await start('--version')).toMatchObject({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '', code: 0 });
});

it('ends with the code for wrong usage', async () => {
  const { stderr, code } = await start('--no-such-option');
  expect(stderr).toContain('esmole-mcp:');
  expect(stderr).toContain('--help');
  expect(code).toBe(2);
});

it('says so on a Node that is too old', async () => {
  vi.spyOn(process.versions, 'node', 'get').mockReturnValue('18.20.8');
  const { stdout, stderr, code } = await start('--version');
  expect(stdout).toBe('');
  expect(stderr).toContain('needs Node 20.19 or later');
  expect(code).toBe(1);
});
