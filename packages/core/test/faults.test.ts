import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { useTopology } from '@dbmole/engines';
import { afterEach, describe, expect, it } from 'vitest';
import { countLines, described, failed, logins, refusal, sessionsOf, signalAll, sleep, until, useFaultRig } from './fault-rig.ts';
import { startTarget } from './ssh-server.ts';

const rig = useFaultRig();

describe.skipIf(process.platform !== 'linux')('a way that breaks', () => {
  const topology = useTopology();
  const route = () => described(topology().bastion, topology().privateKeyFile);
  /** The same server, by way of a cable that we hold in our hands. */
  async function cabled() {
    const proxy = await rig.proxy(topology().bastion);
    return { proxy, route: { ...route(), port: proxy.port, hostKeys: [topology().bastion.hostKeyFingerprint] } };
  }

  it('#2 reset on the way: the stream fails, the next call works', async () => {
    const { proxy, route } = await cabled();
    const take = rig.take(topology());
    const tunnel = await take(route);
    const error = failed(await rig.echoing(tunnel));
    proxy.reset();
    expect(await error).toMatchObject({ kind: 'tunnel', code: 'E_SSH_NETWORK' });
    expect(tunnel.status().state).toBe('lost');
    expect(await rig.echo(await take(route))).toBe('hello');
  });

  describe('sessions that are stopped', () => {
    let stopped: number[] = [];
    afterEach(() => {
      for (const pid of stopped.splice(0)) if (readdirSync('/proc').includes(String(pid))) process.kill(pid, 'SIGCONT');
    });

    it('#3 session stopped while a call waits: the keepalive finds it, the next call works', async () => {
      const call = rig.calls(topology(), route(), { timeouts: { keepaliveMs: 300, keepaliveCount: 2, staleMs: 60_000 } });
      expect(await call()).toBe('hello');
      stopped = sessionsOf(topology().bastion);
      expect(stopped.length).toBeGreaterThan(0);
      signalAll(stopped, 'SIGSTOP');
      expect((await refusal(call('into silence'))).code).toBe('E_SSH_KEEPALIVE_TIMEOUT');
      expect(await call()).toBe('hello');
    });
  });

  it('#4 silence that is shorter than the keepalive allows: what was asked is answered', async () => {
    const { proxy, route } = await cabled();
    const tunnel = await rig.take(topology(), { timeouts: { keepaliveMs: 1_000, keepaliveCount: 3 } })(route);
    await rig.echo(tunnel);
    proxy.freeze();
    const answer = rig.echo(tunnel, 'patience');
    await sleep(1_500);
    proxy.thaw();
    expect(await answer).toBe('patience');
    expect(tunnel.status().state).toBe('ready');
  });

  it('#5 endless silence: an error within the time of the keepalive, and nothing stays open', async () => {
    const { proxy, route } = await cabled();
    const tunnel = await rig.take(topology(), { timeouts: { keepaliveMs: 300, keepaliveCount: 2 } })(route);
    const stream = await rig.echoing(tunnel);
    const started = Date.now();
    proxy.freeze();
    stream.write('into silence');
    expect(await failed(stream)).toMatchObject({ code: 'E_SSH_KEEPALIVE_TIMEOUT' });
    // Three intervals of 0.3 s; the rest is for a machine that is busy.
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(stream.destroyed).toBe(true);
  });

  it('#6 silent while idle, then a call: it is noticed before anything is sent, and the call succeeds', async () => {
    const { proxy, route } = await cabled();
    const call = rig.calls(topology(), route, { timeouts: { staleMs: 200, probeMs: 500, keepaliveMs: 60_000 } });
    await call();
    const before = { logins: logins(topology().bastion), target: rig.targetConnections() };
    proxy.freeze();
    await sleep(300);
    expect(await call('after the silence')).toBe('after the silence');
    expect(logins(topology().bastion) - before.logins).toBe(1);
    expect(rig.targetConnections() - before.target).toBe(1);
  });

  describe('a process', () => {
    let client: ChildProcess | undefined;
    afterEach(() => void client?.kill('SIGKILL'));

    /** It has made one call, and makes another with what is written to its input. */
    async function startClient(route: object, timeouts: object) {
      const words = [JSON.stringify({ ssh: route, timeouts }), String(rig.targetPort())];
      const script = join(import.meta.dirname, 'sleeper.ts');
      const child = spawn(process.execPath, ['--import', 'tsx', script, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
      client = child;
      const said = { text: '' };
      child.stdout.on('data', (chunk) => {
        said.text += String(chunk);
      });
      await until(() => said.text === 'one ', 'the first word');
      return { child, said };
    }

    it.each(['awake', 'gone'])('#7 that was stopped, the server meanwhile %s: the next call works', async (server) => {
      const { proxy, route } = await cabled();
      const timeouts = { staleMs: 1_000, probeMs: 3_000, keepaliveMs: 500, keepaliveCount: 2 };
      const { child, said } = await startClient(route, timeouts);
      child.kill('SIGSTOP');
      await sleep(500);
      if (server === 'gone') proxy.freeze();
      await sleep(4_000);
      child.stdin.end('two ');
      child.kill('SIGCONT');
      // The probe, and a new login; the rest is for a machine that is busy.
      await until(() => said.text === 'one two ', 'the second word', 15_000);
      if (child.exitCode === null) await once(child, 'exit');
      expect(child.exitCode).toBe(0);
    });

    it('#7 that gets what waited for it while it slept: it asks the server all the same', async () => {
      const { proxy, route } = await cabled();
      const sockets: Socket[] = [];
      const talker = await startTarget((socket) => void sockets.push(socket));
      rig.onEnd(() => talker.close());
      const timeouts = { staleMs: 300, probeMs: 300, keepaliveMs: 60_000 };
      const tunnel = await rig.take(topology(), { timeouts })(route);
      const stream = tunnel.stream('127.0.0.1', talker.port);
      stream.connect();
      await once(stream, 'connect');
      await sleep(400);
      sockets[0]?.write('late news');
      await once(stream, 'data');
      // A sound server is asked once, and then believed again.
      await tunnel.ensureFresh();
      await sleep(400);
      sockets[0]?.write('later news');
      await once(stream, 'data');
      proxy.freeze();
      expect((await refusal(tunnel.ensureFresh())).code).toBe('E_SSH_KEEPALIVE_TIMEOUT');
    });

    it('#37 whose input ends while the server is silent: it ends, without waiting for the keepalive', async () => {
      const { proxy, route } = await cabled();
      const { child } = await startClient(route, { keepaliveMs: 60_000 });
      proxy.freeze();
      child.stdin.end();
      await until(() => child.exitCode === 0, 'the process to end', 10_000);
    });
  });

  it('#15 wrong key: one connection and one login, for calls that come at the same time and afterwards', async () => {
    const key = rig.file('wrong');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const { proxy, route } = await cabled();
    const before = countLines(topology().bastion, /^Connection from /);
    const call = rig.calls(topology(), { ...route, privateKey: key });
    const failures = await Promise.all([call(), call(), call()].map(refusal));
    expect(failures.map(({ code }) => code)).toEqual(Array(3).fill('E_SSH_AUTH_FAILED'));
    await until(() => proxy.open() === 0, 'the end of the connection');
    expect(countLines(topology().bastion, /^Connection from /) - before).toBe(1);
  });

  it('#36 ten kills in a row: each next call works, and nothing is left of the dead', async () => {
    const call = rig.calls(topology(), route());
    await call();
    const base = openThings();
    for (let round = 0; round < 10; round++) {
      expect(await topology().bastion.killSessions()).toBeGreaterThan(0);
      // The call may come before the news; then it fails, and says so.
      const first = await call(`round ${round}`).catch((error: Error & { kind?: string }) => error.kind);
      if (first === 'tunnel') expect(await call(`round ${round}`)).toBe(`round ${round}`);
      else expect(first).toBe(`round ${round}`);
    }
    await until(() => openThings() <= base, 'the sockets of the lost tunnels to close');
    expect(sessionsOf(topology().bastion).length).toBeLessThanOrEqual(2);
  });

  it('#36 a thousand channels, one after the other: none is left', async () => {
    const tunnel = await rig.take(topology())(route());
    const warnings: string[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', onWarning);
    try {
      for (let round = 0; round < 50; round++) {
        await Promise.all(Array.from({ length: 20 }, (_, index) => rig.echo(tunnel, `${round} ${index}`)));
      }
      await until(() => tunnel.status().channels === 0, 'the channels to close');
      expect(warnings).toEqual([]);
      expect(logins(topology().bastion)).toBeGreaterThan(0);
    } finally {
      process.off('warning', onWarning);
    }
  });

  it('#38 write after the tunnel is lost: an error, never a success', async () => {
    const tunnel = await rig.take(topology())(route());
    const stream = await rig.echoing(tunnel);
    const outcome = new Promise<unknown>((resolve) => {
      // From inside the loss, when the channel of ssh2 itself still says that it can be written.
      tunnel.onClosed(() => stream.write('lost', resolve));
    });
    await topology().bastion.killSessions();
    expect(await outcome).toBeInstanceOf(Error);
    expect(await new Promise<unknown>((resolve) => stream.write('lost', resolve))).toBeInstanceOf(Error);
  });
});

describe.skipIf(process.platform !== 'linux')('#28 two servers on the way', () => {
  const topology = useTopology();

  it.each(['killed', 'silent', 'stopped'])('the outer one %s: error, and all servers are left', async (fault) => {
    const { bastion, inner, privateKeyFile } = topology();
    const proxy = await rig.proxy(bastion);
    const jump = [{ ...described(bastion, privateKeyFile), port: proxy.port, hostKeys: [bastion.hostKeyFingerprint] }];
    const timeouts = { keepaliveMs: 300, keepaliveCount: 2 };
    const tunnel = await rig.take(topology(), { timeouts })({ ...described(inner, privateKeyFile), jump });
    const error = failed(await rig.echoing(tunnel));
    const stopped = fault === 'stopped' ? sessionsOf(bastion) : [];
    if (fault === 'killed') await bastion.killSessions();
    else if (fault === 'silent') proxy.freeze();
    else signalAll(stopped, 'SIGSTOP');
    try {
      expect(await error).toMatchObject({ code: expect.stringMatching(/^E_SSH_(NETWORK|KEEPALIVE_TIMEOUT)$/) });
      // What we hold ends; the proxy sees it, for the servers cannot.
      await until(() => proxy.open() === 0 || fault === 'silent', 'our end of the connection to close');
      expect(tunnel.status()).toMatchObject({ state: 'lost' });
    } finally {
      signalAll(stopped, 'SIGCONT');
      await proxy.close();
    }
    await until(() => [...sessionsOf(bastion), ...sessionsOf(inner)].length === 0, 'both servers to be rid of us');
  });
});

describe('#32 a server that closes what is not used', () => {
  describe('channels', () => {
    const topology = useTopology({ settings: { ChannelTimeout: '*=1' } });

    it('ends the stream, not the tunnel, and the next one works', async () => {
      const { bastion, privateKeyFile } = topology();
      const tunnel = await rig.take(topology())(described(bastion, privateKeyFile));
      const stream = await rig.echoing(tunnel);
      await once(stream, 'close');
      expect(tunnel.status().state).toBe('ready');
      expect(await rig.echo(tunnel)).toBe('hello');
    });
  });

  describe('connections', () => {
    const topology = useTopology({ settings: { UnusedConnectionTimeout: '1' } });

    it('is reached again by the next call', async () => {
      const { bastion, privateKeyFile } = topology();
      const call = rig.calls(topology(), described(bastion, privateKeyFile));
      await call();
      const before = logins(bastion);
      await until(() => sessionsOf(bastion).length === 0, 'the server to hang up');
      expect(await call('again')).toBe('again');
      expect(logins(bastion) - before).toBe(1);
    });
  });

  describe('clients that do not answer', () => {
    const topology = useTopology({ settings: { ClientAliveInterval: '1', ClientAliveCountMax: '1' } });

    it('is answered by us, and stays', async () => {
      const { bastion, privateKeyFile } = topology();
      const tunnel = await rig.take(topology())(described(bastion, privateKeyFile));
      await sleep(4_000);
      expect(tunnel.status().state).toBe('ready');
      expect(await rig.echo(tunnel)).toBe('hello');
    });
  });
});

describe('#33 new session keys after every megabyte', () => {
  const topology = useTopology({ settings: { RekeyLimit: '1M' } });

  it('64 MB arrive intact', async () => {
    const block = randomBytes(1024 * 1024);
    const sent = createHash('sha256');
    const source = await startTarget((socket) => {
      const send = (left: number): void => {
        if (left === 0) return void socket.end();
        block.writeUInt32BE(left);
        sent.update(block);
        socket.write(Buffer.from(block), () => send(left - 1));
      };
      socket.once('data', () => send(64));
    });
    rig.onEnd(() => source.close());
    const { bastion, privateKeyFile } = topology();
    const tunnel = await rig.take(topology())(described(bastion, privateKeyFile));
    const stream = tunnel.stream('127.0.0.1', source.port);
    stream.write('go');
    const received = createHash('sha256');
    let total = 0;
    for await (const chunk of stream) {
      total += chunk.length;
      received.update(chunk);
    }
    expect(total).toBe(64 * block.length);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    expect(tunnel.status().state).toBe('ready');
  });
});

/** Descriptors of this process that are sockets. */
function openThings(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPSocket')).length;
}
