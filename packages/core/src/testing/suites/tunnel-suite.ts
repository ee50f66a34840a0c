import { copyFileSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Topology } from '@dbmole/engines';
import { afterEach, describe, expect, it } from 'vitest';
import { readText, ServerProcess } from '../server-process.ts';

export interface TunnelledServer {
  name: string;
  file: string;
  envVar: string;
  /** A connection that works from the bastion, without its name. */
  connection(): Record<string, unknown>;
  /** What `test_connection` says of it. */
  answers: RegExp;
  /** The way to the bastion. */
  topology(): Pick<Topology, 'bastion' | 'privateKeyFile' | 'knownHostsFile'>;
}

/** One hop of SSH in front of a real engine, through the built server, as its user would have it. */
export function describeTunnelled(options: TunnelledServer): void {
  const { name, file, envVar, answers, topology } = options;
  describe(`${name} behind a bastion`, () => {
    const servers: ServerProcess[] = [];
    afterEach(async () => {
      for (const server of servers.splice(0)) await server.stop();
    });

    async function start(ssh: Record<string, unknown>, knownHosts = true): Promise<ServerProcess> {
      const { bastion, knownHostsFile } = topology();
      const { host, port, user } = bastion;
      const connection = { ...options.connection(), name: 'behind', ssh: { host, port, user, ...ssh } };
      const server = new ServerProcess({ file, env: { [envVar]: JSON.stringify([connection]) } });
      servers.push(server);
      mkdirSync(join(server.home, '.ssh'));
      if (knownHosts) copyFileSync(knownHostsFile, join(server.home, '.ssh', 'known_hosts'));
      await server.initialize();
      return server;
    }
    const test = async (server: ServerProcess) => readText(await server.callTool('test_connection', { name: 'behind' }));

    it('reaches the engine, says through what, and listens nowhere', async () => {
      const { bastion, privateKeyFile } = topology();
      const server = await start({ privateKey: privateKeyFile });
      const text = await test(server);
      expect(text).toMatch(answers);
      expect(text).toContain(`through ${bastion.user}@`);
      expect(text).toContain(bastion.hostKeyFingerprint);
      expect(listeningSockets(server.child.pid)).toEqual([]);
    });

    it('accepts a pinned key in place of known_hosts, and no other', async () => {
      const { bastion, privateKeyFile } = topology();
      const pinned = await start({ privateKey: privateKeyFile, hostKeys: [bastion.hostKeyFingerprint] }, false);
      expect(await test(pinned)).toMatch(answers);
      const other = await start({ privateKey: privateKeyFile, hostKeys: [`SHA256:${'A'.repeat(43)}`] });
      expect(await test(other)).toContain('E_SSH_HOST_KEY_CHANGED');
    });

    it('refuses an unknown host key and says how to accept it', async () => {
      const { bastion, privateKeyFile } = topology();
      const server = await start({ privateKey: privateKeyFile }, false);
      const text = await test(server);
      expect(text).toContain('E_SSH_HOST_KEY_UNKNOWN');
      expect(text).toMatch(/^Next: Ask the user to compare .* Then run `\w+-mcp trust \w+` to accept the key\.$/m);
      expect(text).toContain(bastion.hostKeyFingerprint);
    });

    it('uses a key that is there by default, and says when the server refuses it', async () => {
      const server = await start({});
      writeFileSync(join(server.home, '.ssh', 'id_ed25519'), readFileSync(topology().privateKeyFile), { mode: 0o600 });
      expect(await test(server)).toMatch(answers);
      const stranger = await start({ user: 'unknown-user', privateKey: topology().privateKeyFile });
      expect(await test(stranger)).toContain('E_SSH_AUTH_FAILED');
    });

    it('works again at the next call after the tunnel was lost', async () => {
      const server = await start({ privateKey: topology().privateKeyFile });
      expect(await test(server)).toMatch(answers);
      await topology().bastion.killSessions();
      expect(await test(server)).toMatch(answers);
    });
  });
}

/** The TCP sockets of a process that wait for connections, as local addresses. */
function listeningSockets(pid: number | undefined): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []),
  );
  const tables = ['tcp', 'tcp6'].map((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8'));
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && inodes.has(fields[9] ?? ''))
    .map((fields) => fields[1] ?? '');
}
