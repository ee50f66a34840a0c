/** What the page about tunnels says, done: every example leads through real servers, where those it names cannot be. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useTopology } from '@dbmole/engines';
import { beforeEach, describe, expect, it } from 'vitest';
import { trust } from '../src/cli/commands/trust.ts';
import type { SshHop, SshRoute } from '../src/connection.ts';
import { sshRoute } from '../src/connection.ts';
import { createFakeDefinition } from '../src/testing/fakes/fake-definition.ts';
import { createFakeEngine } from '../src/testing/fakes/fake-engine.ts';
import { createFakeTerminal } from '../src/testing/fakes/fake-terminal.ts';
import { runCommand } from '../src/testing/run-command.ts';
import { refusal, until, useFaultRig } from './fault-rig.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/tunnels.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
const routes = blocks('json').map((text): { text: string; route: SshRoute } => {
  const example = JSON.parse(text.startsWith('{') ? text : `{${text}}`);
  return { text, route: sshRoute.parse(example.ssh) };
});

const rig = useFaultRig();

describe('the page about tunnels', () => {
  const topology = useTopology();
  let home: string;
  beforeEach(() => {
    home = rig.file(`home-${Math.random().toString(36).slice(2)}`);
    for (const folder of ['.ssh', '.1password']) mkdirSync(join(home, folder), { recursive: true });
    copyFileSync(topology().privateKeyFile, join(home, '.ssh', 'id_ed25519'));
  });

  /** `bastion` as the page writes it into `~/.ssh/config`, but for what is of this machine alone. */
  function configOf(lines: string): string {
    const { bastion, knownHostsFile } = topology();
    const file = join(home, '.ssh', 'config');
    const there = lines.replace('bastion.example.com', `${bastion.host}\n  Port ${bastion.port}`).replaceAll('~/', `${home}/`);
    writeFileSync(file, `${there.replace('User me', `User ${bastion.user}`)}  UserKnownHostsFile ${knownHostsFile}\n`);
    return file;
  }

  function placed(server: Exclude<SshHop, string>): Exclude<SshHop, string> {
    const { host, port, user } = server.host.startsWith('middle') ? topology().inner : topology().bastion;
    return { ...server, host, port, user };
  }

  /** The same route over our two servers; the last of three is the first one again. */
  function placedRoute(route: SshRoute): SshRoute {
    if (typeof route === 'string') return route;
    const { jump, ...last } = route;
    const jumps = jump?.map((hop) => (typeof hop === 'string' ? hop : placed(hop)));
    return { ...placed(last), ...(jumps && { jump: jumps }) };
  }

  async function startAgent(): Promise<void> {
    const socket = join(home, '.1password', 'agent.sock');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
    rig.onEnd(async () => {
      agent.kill();
      await once(agent, 'exit');
    });
    await once(agent.stdout, 'data');
    execFileSync('ssh-add', ['-q', topology().privateKeyFile], {
      env: { ...process.env, SSH_AUTH_SOCK: socket },
      stdio: 'ignore',
    });
  }

  it('has an example of one server, of several, and of an agent', () => {
    expect(routes.map(({ route }) => (typeof route === 'string' ? 0 : (route.jump?.length ?? 0)))).toEqual([0, 0, 2]);
    expect(page).toContain('agent.sock');
  });

  it.each(routes)('has an example that works: $text', async ({ route }) => {
    await startAgent();
    const sshConfig = configOf('Host bastion\n  HostName bastion.example.com\n  User me\n  IdentityFile ~/.ssh/id_ed25519\n');
    const tunnel = await rig.take(topology(), { home, sshConfig })(placedRoute(route));
    expect(await rig.echo(tunnel)).toBe('hello');
  });

  /** Without such a key, ssh gets as far as the prompt for a touch. */
  it('has a configuration for a security key, with which ssh goes', async () => {
    const [lines = ''] = blocks('sshconfig');
    const word = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)]);
    const key = [word('sk-ssh-ed25519@openssh.com'), word('k'.repeat(32)), word('ssh:')];
    const line = `sk-ssh-ed25519@openssh.com ${Buffer.concat(key).toString('base64')}\n`;
    const file = join(home, '.ssh', 'id_ed25519_sk');
    writeFileSync(`${file}.pub`, line);
    copyFileSync(topology().privateKeyFile, file);
    const failure = await refusal(rig.take(topology(), { home, sshConfig: configOf(lines) })('bastion'));
    expect(failure.code).toBe('E_SSH_AUTH_FAILED');
    await until(() => rig.notes.join().includes('a key on a security key'), 'the reason');
  });

  it('has a command that accepts what is unknown', async () => {
    const [line = ''] = blocks('sh');
    const [program, command, ...words] = line.trim().split(' ');
    expect([program, command]).toEqual(['dbmole-mcp', 'trust']);
    const ssh = placedRoute({ host: 'bastion.example.com', user: 'me', privateKey: '~/.ssh/id_ed25519' });
    const connection = { name: words[0], type: 'thing', host: 'db', user: 'me', ssh };
    const env = { THING_CONNECTIONS: JSON.stringify([connection]) };
    const definition = createFakeDefinition({ createBackend: createFakeEngine().createBackend });
    const terminal = createFakeTerminal({ env, folder: home, answers: ['yes'] });
    expect(await runCommand(trust, { definition, terminal, words })).toBe(0);
    const again = createFakeTerminal({ env, folder: home, answers: [] });
    const given = [...words, topology().bastion.hostKeyFingerprint];
    expect(await runCommand(trust, { definition, terminal: again, words: given })).toBe(0);
  });
});
