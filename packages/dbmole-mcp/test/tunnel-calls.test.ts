import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { useEngine, useTopology } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import { createAccount } from './direct.ts';
import { openTools } from './open-tools.ts';

const calls = 24;
/** An acknowledgement is delayed by 40 ms. */
const stallMs = 38;

describe('calls behind a bastion', () => {
  const engine = useEngine('postgres18', { shared: true });
  const topology = useTopology();

  it.each([
    ['query', { sql: 'select 1' }],
    ['list_tables', {}],
  ])('%s does not wait for a delayed acknowledgement when it follows another call at once', async (tool, args) => {
    const { bastion, privateKeyFile: privateKey, knownHostsFile } = topology();
    const account = await createAccount(engine(), `bastion_${tool}_${process.pid}`);
    const ssh = { host: bastion.host, port: bastion.port, user: bastion.user, privateKey };
    const client = await openTools([{ ...account, name: 'shop', tls: 'disable', ssh }]);
    mkdirSync(join(client.folder, '.ssh'));
    copyFileSync(knownHostsFile, join(client.folder, '.ssh', 'known_hosts'));
    const times: number[] = [];
    for (let call = 0; call < calls; call += 1) {
      const started = performance.now();
      expect((await client.call(tool, args)).isError).toBe(false);
      times.push(performance.now() - started);
    }
    await client.close();
    // The first calls open everything.
    expect(times.slice(calls / 3).filter((ms) => ms >= stallMs).length).toBeLessThan(calls / 4);
  });
});
