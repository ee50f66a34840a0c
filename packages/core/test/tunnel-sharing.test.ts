import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { useTopology } from '@dbmole/engines';
import { describe, expect, test } from 'vitest';
import { described, directory, echo, logins, refusal, target, tunnelsOf, useRoutes } from './route-rig.ts';

useRoutes();

describe('connections that take the same way', () => {
  const topology = useTopology();

  test('share one login, also when they come at the same time', async () => {
    const { bastion, privateKeyFile } = topology();
    const before = logins(bastion);
    const take = tunnelsOf(topology());
    const route = described(bastion, privateKeyFile);
    const tunnels = await Promise.all(Array.from({ length: 50 }, () => take(route)));
    tunnels.push(await take(route));
    await Promise.all(tunnels.map((tunnel) => echo(tunnel)));
    expect(logins(bastion) - before).toBe(1);
    expect(tunnels.map((tunnel) => tunnel.status().users)).toEqual(tunnels.map(() => 51));
    await tunnels[0]?.close();
    expect(tunnels.at(-1)?.status().users).toBe(50);
  });

  test('close their own streams, and the tunnel with the last of them', async () => {
    const { bastion, privateKeyFile } = topology();
    const take = tunnelsOf(topology());
    const [one, other] = [await take(described(bastion, privateKeyFile)), await take(described(bastion, privateKeyFile))];
    const stream = one.stream('127.0.0.1', target.port);
    stream.write('x');
    await once(stream, 'data');
    const ended = once(stream, 'close');
    await one.close();
    await ended;
    expect(await echo(other)).toBe('hello');
    expect(other.status()).toMatchObject({ state: 'ready' });
    await other.close();
    expect(other.status().state).toBe('closed');
    await expect.poll(() => bastion.killSessions()).toBe(0);
  });

  test('lose it together and log in again once', async () => {
    const { bastion, privateKeyFile } = topology();
    const take = tunnelsOf(topology());
    const route = described(bastion, privateKeyFile);
    const [one, other] = [await take(route), await take(route)];
    const losses = [one, other].map((tunnel) => new Promise((resolve) => tunnel.onClosed(resolve)));
    const before = logins(bastion);
    await bastion.killSessions();
    await Promise.all(losses);
    const again = await Promise.all(Array.from({ length: 20 }, () => take(route)));
    await Promise.all(again.map((tunnel) => echo(tunnel)));
    expect(logins(bastion) - before).toBe(1);
  });

  test('do not share with another credential, and one that gives up leaves the others waiting', async () => {
    const { bastion, privateKeyFile } = topology();
    const key = join(directory, 'other-key');
    execFileSync('cp', [privateKeyFile, key]);
    const take = tunnelsOf(topology());
    const before = logins(bastion);
    await take(described(bastion, privateKeyFile));
    await take(described(bastion, key));
    expect(logins(bastion) - before).toBe(2);
    const impatient = new AbortController();
    const third = { ...described(bastion, key), hostKeys: [bastion.hostKeyFingerprint] };
    const [given, kept] = [refusal(take(third, impatient.signal)), take(third)];
    impatient.abort();
    expect((await given).kind).toBe('cancelled');
    expect(await echo(await kept)).toBe('hello');
  });

  test('try again after a failure, and nothing of it stays', async () => {
    const { bastion, privateKeyFile } = topology();
    const take = tunnelsOf(topology());
    const route = described(bastion, privateKeyFile);
    await bastion.control.shutDown();
    expect(await refusal(take(route))).toMatchObject({ code: 'E_SSH_CONNECT_REFUSED' });
    await bastion.control.start();
    expect(await echo(await take(route))).toBe('hello');
  });
});
