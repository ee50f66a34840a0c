import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useTopology } from '@dbmole/engines';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { trust } from '../src/cli/commands/trust.ts';
import { createFakeDefinition } from '../src/testing/fakes/fake-definition.ts';
import { createFakeEngine } from '../src/testing/fakes/fake-engine.ts';
import { createFakeTerminal } from '../src/testing/fakes/fake-terminal.ts';
import { runCommand } from '../src/testing/run-command.ts';

const definition = createFakeDefinition({ createBackend: createFakeEngine().createBackend });

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'trust-'));
});
afterEach(() => rm(home, { recursive: true }));

describe('trust', () => {
  const topology = useTopology();

  async function run(answers: (string | undefined)[], options: { hop?: object; words?: string[] } = {}) {
    const { bastion, inner, privateKeyFile: privateKey } = topology();
    const hop = ({ host, port, user }: typeof bastion) => ({ host, port, user, privateKey });
    const ssh = { ...hop(inner), jump: [hop(bastion)], ...options.hop };
    const env = { THING_CONNECTIONS: JSON.stringify([{ name: 'main', type: 'thing', host: 'db', user: 'me', ssh }]) };
    const terminal = createFakeTerminal({ env, folder: home, answers });
    const code = await runCommand(trust, { definition, terminal, words: ['main', ...(options.words ?? [])] });
    return { code, printed: terminal.printed, asked: terminal.asked };
  }

  const file = () => join(home, '.config', 'thing', 'known_hosts');

  test('asks about each server on the way, and remembers', async () => {
    const { bastion, inner } = topology();
    const first = await run(['yes', inner.hostKeyFingerprint]);
    expect(first).toMatchObject({ code: 0, asked: [expect.any(String), expect.any(String)] });
    expect(first.printed).toContain(bastion.hostKeyFingerprint);
    expect(first.printed).toContain(inner.hostKeyFingerprint);
    expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(3);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const second = await run([]);
    expect(second).toMatchObject({ code: 0, asked: [] });
  });

  test('accepts nothing without a clear yes', async () => {
    for (const answer of ['', 'y', 'no', 'SHA256:other']) expect((await run([answer])).code).toBe(1);
    await expect(run([undefined])).rejects.toMatchObject({ kind: 'refused' });
    expect(() => statSync(file())).toThrow();
  });

  test('takes fingerprints that a person gives beforehand, and no others', async () => {
    const { bastion, inner } = topology();
    await expect(run([], { words: [inner.hostKeyFingerprint] })).rejects.toMatchObject({
      code: 'E_SSH_HOST_KEY_MISMATCH',
      message: expect.stringContaining(`${bastion.hostKeyFingerprint}, expected ${inner.hostKeyFingerprint}`),
    });
    const words = [bastion.hostKeyFingerprint, inner.hostKeyFingerprint];
    expect(await run([], { words })).toMatchObject({ code: 0, asked: [] });
  });

  test('never accepts a key that is not the pinned one', async () => {
    const hostKeys = [`SHA256:${'A'.repeat(43)}`];
    await expect(run(['yes', 'yes'], { hop: { hostKeys } })).rejects.toMatchObject({ code: 'E_SSH_HOST_KEY_CHANGED' });
  });

  test('says so when there is nothing to accept', async () => {
    await expect(run([], { hop: { jump: undefined, host: '127.0.0.1', port: 1 } })).rejects.toMatchObject({ kind: 'tunnel' });
  });
});
