import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../failure.ts';
import type { Findings, FoundConnection, Importer } from '../../registry/sources/importer.ts';
import { createFakeDefinition } from '../../testing/fakes/fake-definition.ts';
import { createFakeTerminal, type FakeTerminalOptions } from '../../testing/fakes/fake-terminal.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import { runProgram } from '../command-line.ts';

function found(name: string, more: Partial<FoundConnection> = {}): FoundConnection {
  const place = { host: `${name}.example`, user: 'me' };
  const { fields = place, references = { password: { from: 'ledger' } } } = more;
  return { name, fields, references, shown: { ...place }, password: 'read from the ledger', ...more };
}

const folder = useTempFolder();
let ledger: Findings;
let notes: Findings;
beforeEach(() => {
  ledger = { found: [found('shop'), found('stock')], notes: [] };
  notes = { found: [], notes: ['a line is left out'] };
});

const definition = (
  importers: Importer[] = [
    { source: '.ledger', find: () => ledger },
    { source: 'notes', find: () => notes },
  ],
) =>
  createFakeDefinition({
    secretSources: { ledger: () => 'a-secret' },
    importers: async () => importers,
    createBackend: () => Promise.reject(new Error('nothing is opened here')),
    publicView: ({ host, user }) => ({ host, user }),
  });

async function run(words: string[], options: FakeTerminalOptions = {}, from = definition()) {
  const terminal = createFakeTerminal({ argv: ['connections', 'import', ...words], folder: folder.path, ...options });
  const code = await runProgram(from, terminal);
  return { code, out: terminal.printed, err: terminal.complained, asked: terminal.asked };
}

const storePath = () => folder.at('.config', 'thing', 'connections.json');
const stored = () => JSON.parse(readFileSync(storePath(), 'utf8')).connections;
const added = (name: string) => ({ name, host: `${name}.example`, user: 'me', password: { from: 'ledger' }, readonly: true });

describe('connections import', () => {
  it('shows what it found, asks, and adds that read-only with references', async () => {
    const { code, out, err } = await run([], { answers: ['all'] });
    expect(code).toBe(0);
    expect(out).toMatch(/^name\s+host\s+user\s+password\nshop\s+shop\.example\s+me\s+read from the ledger\nstock /);
    expect(out).toContain('They are read-only');
    expect(err).toBe('skipped: a line is left out\n');
    expect(stored()).toEqual([added('shop'), added('stock')]);
    expect(statSync(storePath()).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['stock', [added('stock')]],
    ['shop, stock', [added('shop'), added('stock')]],
  ])('adds those that are named (%s)', async (answer, expected) => {
    expect((await run([], { answers: [answer] })).code).toBe(0);
    expect(stored()).toEqual(expected);
  });

  it.each(['', 'none', 'n'])('adds nothing when the answer is %j', async (answer) => {
    expect((await run([], { answers: [answer] })).code).toBe(0);
    expect(stored).toThrow(/ENOENT/);
  });

  it('adds nothing for an unknown name or without a terminal', async () => {
    expect(await run([], { answers: ['shop stok'] })).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean stock?'),
    });
    expect(await run([])).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    expect(stored).toThrow(/ENOENT/);
  });

  it('asks nothing with --yes, and adds nothing twice', async () => {
    expect(await run(['--yes'])).toMatchObject({ code: 0, asked: [] });
    expect(stored()).toEqual([added('shop'), added('stock')]);
    expect(await run(['--yes'])).toMatchObject({
      out: 'All 2 that were found are already configured.\n',
      err: expect.stringContaining('already configured: shop\nalready configured: stock\n'),
    });
    ledger = { found: [], notes: [] };
    expect((await run([])).out).toBe('Nothing was found in .ledger, notes.\n');
    expect(stored()).toHaveLength(2);
  });

  it('takes the first of those that lead to the same place, and gives every one a name that is free', async () => {
    const other = (host: string): Partial<FoundConnection> => ({ fields: { host, user: 'me' }, shown: { host, user: 'me' } });
    ledger = {
      found: [found('shop'), found('a b/c', other('x')), found('a b/c', other('y')), found('__proto__', other('z'))],
      notes: [],
    };
    notes = { found: [found('else', other('shop.example')), found('shop', other('v'))], notes: [] };
    await run(['--yes']);
    expect(stored().map(({ name, host }: Record<string, string>) => `${name} ${host}`)).toEqual([
      'shop shop.example',
      'a-b-c x',
      'a-b-c-2 y',
      'imported z',
      'shop-2 v',
    ]);
  });

  it('looks into one source when it is named', async () => {
    expect((await run(['notes'])).err).toContain('skipped: ');
    expect((await run(['ledger'], { answers: ['none'] })).out).toContain('shop');
    expect(await run(['ledgr'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean .ledger?') });
    expect((await run(['a', 'b'])).code).toBe(2);
    expect(await run([], {}, definition([]))).toMatchObject({
      code: 1,
      err: expect.stringContaining('`thing-mcp connections add NAME URL`'),
    });
  });

  it('takes the path of a file where an importer does', async () => {
    const paths: (string | undefined)[] = [];
    const find: Importer['find'] = ({ path }) => {
      paths.push(path);
      return ledger;
    };
    const from = definition([{ source: '.ledger', takesPath: true, find }]);
    writeFileSync(folder.at('old.ledger'), '');
    expect((await run(['./old.ledger', '--yes'], {}, from)).code).toBe(0);
    expect(paths).toEqual([folder.at('old.ledger')]);
    expect(await run(['./none'], {}, from)).toMatchObject({ code: 2, err: expect.stringContaining('no such file') });
  });

  it('goes on when a source cannot be read', async () => {
    const broken: Importer = {
      source: 'broken',
      find: () => {
        throw new Failure('secret', 'the file is open to others', { hint: 'Close it.' });
      },
    };
    const { err, code } = await run(['--yes'], {}, definition([broken, { source: 'l', find: () => ledger }]));
    expect({ err, code }).toEqual({ err: 'skipped: E_SECRET: the file is open to others. Close it.\n', code: 0 });
    expect(stored()).toHaveLength(2);
  });

  const copied = () =>
    found('shop', { fields: { host: 'h', user: 'me', password: 'found-password' }, references: {}, copies: true });

  it.each([
    ['y', [{ name: 'shop', host: 'h', user: 'me', password: 'found-password', readonly: true }]],
    ['n', undefined],
    [undefined, undefined],
  ])('copies a secret only after asking for it (%s)', async (answer, expected) => {
    ledger = { found: [copied()], notes: [] };
    const { out, err, asked } = await run([], { answers: ['all', answer] });
    expect(asked[1]).toContain('in plain text');
    if (expected) expect(stored()).toEqual(expected);
    else expect(stored).toThrow(/ENOENT/);
    expect(`${out}${err}${asked.join()}`).not.toContain('found-password');
  });

  it('copies no secret with --yes', async () => {
    ledger = { found: [copied(), found('stock')], notes: [] };
    expect((await run(['--yes'])).err).toContain('shop was not added');
    expect(stored()).toEqual([added('stock')]);
  });

  it('follows nothing that it found: neither variables nor references', async () => {
    const evil = { host: 'evil.example', user: '${AWS_SECRET_ACCESS_KEY}', password: 'x${AWS_SECRET_ACCESS_KEY}' };
    const vault = { host: 'evil.example', user: 'me', password: 'op://Private/bank/password' };
    ledger = {
      found: [
        found('a', { fields: evil, references: {}, copies: true }),
        found('b', { fields: vault, references: {}, copies: true }),
      ],
      notes: [],
    };
    const { code, err } = await run([], { answers: ['all', 'y', 'y'] });
    expect(code).toBe(1);
    expect(err).toContain('b was not added');
    expect(stored()).toEqual([
      {
        name: 'a',
        host: 'evil.example',
        user: '$${AWS_SECRET_ACCESS_KEY}',
        password: 'x$${AWS_SECRET_ACCESS_KEY}',
        readonly: true,
      },
    ]);
  });

  it('says what is wrong with one that cannot be added, and adds the others', async () => {
    ledger = { found: [found('bad', { fields: { host: 'h', user: 'me', port: Number.NaN } }), found('stock')], notes: [] };
    const { code, err } = await run(['--yes']);
    expect(code).toBe(1);
    expect(err).toMatch(/bad was not added: .*"port"/);
    expect(stored()).toEqual([added('stock')]);
  });
});
