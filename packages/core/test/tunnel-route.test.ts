import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { useTopology } from '@dbmole/engines';
import { describe, expect, test } from 'vitest';
import { configWith, described, directory, echo, logins, refusal, tunnelsOf, useRoutes } from './route-rig.ts';

useRoutes();

describe('the way to a host of the configuration of ssh', () => {
  const topology = useTopology();

  test('is what ssh itself would take', async () => {
    const { bastion } = topology();
    const tunnel = await tunnelsOf(topology())('bastion');
    expect(await echo(tunnel)).toBe('hello');
    expect(tunnel.status()).toMatchObject({
      hops: [`${bastion.user}@${bastion.host}:${bastion.port}`],
      fingerprint: bastion.hostKeyFingerprint,
    });
  });

  test('leads over its jumps, each server checked by its own name', async () => {
    const { bastion, inner } = topology();
    const before = [bastion, inner].map(logins);
    const lines = `Host through\n  HostName ${inner.host}\n  Port ${inner.port}\n  User ${inner.user}\n  ProxyJump bastion\n  IdentityFile ${topology().privateKeyFile}\n  UserKnownHostsFile ${topology().knownHostsFile}\n`;
    const tunnel = await tunnelsOf(topology(), { sshConfig: await configWith(topology(), lines) })('through');
    expect(await echo(tunnel)).toBe('hello');
    expect(tunnel.status().hops).toEqual([bastion, inner].map(({ user, host, port }) => `${user}@${host}:${port}`));
    expect([bastion, inner].map(logins)).toEqual(before.map((count) => count + 1));
  });

  test('says what is wrong with a name that ssh does not know, a circle, and a way that is too long', async () => {
    const sshConfig = await configWith(
      topology(),
      `Host round
  ProxyJump about
Host about
  ProxyJump round
Host far
  ProxyJump bastion,bastion,bastion,bastion,bastion,bastion
Host *.invalid
  IdentityFile ${topology().privateKeyFile}
`,
    );
    const take = tunnelsOf(topology(), { sshConfig });
    expect(await refusal(take('no.such.host.invalid'))).toMatchObject({ code: 'E_SSH_DNS' });
    expect(await refusal(take('round'))).toMatchObject({ code: 'E_SSH_CONFIG', message: expect.stringContaining('form a loop') });
    expect(await refusal(take('far'))).toMatchObject({ code: 'E_SSH_CONFIG', message: expect.stringContaining('6 jumps') });
    const made = join(directory, 'made-by-a-name');
    const curious = tunnelsOf(topology(), { sshConfig: await configWith(topology(), 'Match exec "true %n"\n  Port 2') });
    for (const name of [`x;touch ${made}`, `x$(touch ${made})`, '-oProxyCommand=x', `a@x\`touch ${made}\``, "x'y"]) {
      expect(await refusal(curious(name))).toMatchObject({
        code: 'E_SSH_CONFIG',
        message: expect.stringMatching(/^invalid SSH (host|server) /),
      });
    }
    expect(existsSync(made)).toBe(false);
    const broken = tunnelsOf(topology(), { sshConfig: await configWith(topology(), 'NoSuchWord yes') });
    expect(await refusal(broken('bastion'))).toMatchObject({
      code: 'E_SSH_CONFIG',
      message: expect.stringMatching(/nosuchword/i),
    });
    const nothing = tunnelsOf(topology(), { env: { PATH: '/nonexistent' } });
    expect(await refusal(nothing('bastion'))).toMatchObject({ code: 'E_SSH_PROGRAM' });
  });

  test('finds keys and known hosts where variables, tokens and spaces lead', async () => {
    const { bastion, privateKeyFile, knownHostsFile } = topology();
    const folder = await mkdtemp(join(directory, 'of a person-'));
    await writeFile(join(folder, 'known hosts'), `the-alias ${bastion.hostKey}\n`);
    for (const name of ['the-alias', hostname(), hostname().split('.')[0]]) {
      await writeFile(join(folder, `key of ${name}`), readFileSync(privateKeyFile), { mode: 0o600 });
    }
    const lines = `Host named\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  User ${bastion.user}\n  HostKeyAlias the-alias\n  UserKnownHostsFile ${knownHostsFile} "${folder}/known hosts"\n`;
    for (const token of ['%k', '%l', '%L']) {
      const key = `  IdentityFile "\${KEYS}/key of ${token}"\n`;
      const sshConfig = await configWith(topology(), lines + key);
      const take = tunnelsOf(topology(), { sshConfig, env: { PATH: process.env.PATH, KEYS: folder } });
      expect(await echo(await take('named'))).toBe('hello');
    }
  });

  test('takes the known name from HostKeyAlias', async () => {
    const { bastion } = topology();
    const known = join(directory, 'alias-known');
    await writeFile(known, `the-alias ${bastion.hostKey}\n`);
    const lines = `Host named\n  HostName ${bastion.host}\n  Port ${bastion.port}\n  User ${bastion.user}\n  UserKnownHostsFile ${known}\n  IdentityFile ${topology().privateKeyFile}\n`;
    const without = tunnelsOf(topology(), { sshConfig: await configWith(topology(), lines) });
    expect(await refusal(without('named'))).toMatchObject({ code: 'E_SSH_HOST_KEY_UNKNOWN' });
    const take = tunnelsOf(topology(), { sshConfig: await configWith(topology(), `${lines}  HostKeyAlias the-alias\n`) });
    expect(await echo(await take('named'))).toBe('hello');
  });
});

describe('jumps that the connection describes', () => {
  const topology = useTopology();

  test('are passed in order, with a credential of each', async () => {
    const { bastion, inner, privateKeyFile } = topology();
    const jump = [described(bastion, privateKeyFile)];
    const tunnel = await tunnelsOf(topology())({ ...described(inner, privateKeyFile), jump });
    expect(await echo(tunnel)).toBe('hello');
    expect(tunnel.status().fingerprint).toBe(inner.hostKeyFingerprint);
  });

  test('may be hosts of the configuration', async () => {
    const { inner, privateKeyFile } = topology();
    const tunnel = await tunnelsOf(topology())({ ...described(inner, privateKeyFile), jump: ['bastion'] });
    expect(await echo(tunnel)).toBe('hello');
  });

  test('name the server whose key is not the accepted one, and nothing stays open', async () => {
    const { bastion, inner, privateKeyFile } = topology();
    const wrong = `SHA256:${'A'.repeat(43)}`;
    const route = { ...described(inner, privateKeyFile), hostKeys: [wrong], jump: [described(bastion, privateKeyFile)] };
    const failure = await refusal(tunnelsOf(topology())(route));
    expect(failure).toMatchObject({
      code: 'E_SSH_HOST_KEY_CHANGED',
      message: expect.stringContaining(`${inner.host}:${inner.port}`),
    });
    await expect.poll(() => bastion.killSessions()).toBe(0);
  });

  test('say which server cannot be reached from the one before', async () => {
    const { bastion, privateKeyFile } = topology();
    const route = {
      host: '127.0.0.1',
      port: 1,
      user: 'me',
      privateKey: privateKeyFile,
      jump: [described(bastion, privateKeyFile)],
    };
    expect(await refusal(tunnelsOf(topology())(route))).toMatchObject({
      code: 'E_SSH_TARGET_UNREACHABLE',
      message: expect.stringContaining('127.0.0.1:1'),
    });
  });

  test('are all lost when the first one is', async () => {
    const { bastion, inner, privateKeyFile } = topology();
    const take = tunnelsOf(topology());
    const route = { ...described(inner, privateKeyFile), jump: [described(bastion, privateKeyFile)] };
    const tunnel = await take(route);
    const lost = new Promise((resolve) => tunnel.onClosed(resolve));
    await echo(tunnel);
    await bastion.killSessions();
    expect(await lost).toMatchObject({ kind: 'tunnel' });
    expect(await echo(await take(route))).toBe('hello');
  });
});
