import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readText, ServerProcess } from '@dbmole/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bin } from './bin.ts';
import { HubWorld, hostile } from './hub-world.ts';

/** Set by hand to 100; each takes up to eight seconds on a busy machine. */
const rounds = Number(process.env.MOLEHUB_ROUNDS ?? 30);

const few = { tools: ['echo', 'environment'] };

function start(world: HubWorld, args: readonly string[] = []): ServerProcess {
  const env = { HOME: world.folder.path, XDG_CONFIG_HOME: world.folder.at('.config'), XDG_CACHE_HOME: world.folder.at('.cache') };
  const server = new ServerProcess({ file: bin, args, env: { ...env, MARK: world.folder.path }, cwd: world.folder.path });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

/** The processes that have this folder as their home: servers, hubs and fronts of a world. */
function processesOf(world: HubWorld): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && readEnvironment(pid).includes(`HOME=${world.folder.path}\0`) && !isZombie(pid));
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

async function ready(server: ServerProcess, ...names: string[]): Promise<void> {
  await server.initialize();
  for (const name of names) {
    const list = async () => JSON.stringify((await server.request('tools/list')).result);
    await expect.poll(list, { timeout: 20_000 }).toContain(name);
  }
}

const endings = ['kill', 'signal', 'end of input'] as const;

async function endAndWait(server: ServerProcess, how: (typeof endings)[number]): Promise<void> {
  server.markTime();
  if (how === 'end of input') server.child.stdin.end();
  else server.child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
  const exit = await server.exited;
  expect(exit.after).toBeLessThan(8_000);
  if (how !== 'kill') expect(exit).toMatchObject({ code: 0 });
}

describe.runIf(process.platform === 'linux')('the processes of a hub', () => {
  it('end with it, whatever they are and however it ends', { timeout: rounds * 8_000 }, async () => {
    const usual = { plain: hostile('', few), family: hostile('family', few) };
    const worlds = { usual: new HubWorld(usual), stubborn: new HubWorld({ ...usual, stubborn: hostile('stubborn', few) }) };
    for (let round = 0; round < rounds; round++) {
      // It takes three seconds to end what ignores every request to end.
      const world = round % 10 === 0 ? worlds.stubborn : worlds.usual;
      const names = round % 10 === 0 ? ['plain', 'family', 'stubborn'] : ['plain', 'family'];
      const server = start(world);
      await ready(server, ...names.map((name) => `${name}__echo`));
      const calls = names.map((name) => server.callTool(`${name}__echo`, { value: name }));
      expect((await Promise.all(calls)).map(readText)).toEqual(names);
      expect(processesOf(world).length).toBe(names.length + 2);
      await endAndWait(server, endings[round % endings.length] ?? 'kill');
      await expect.poll(() => processesOf(world), { timeout: 10_000 }).toEqual([]);
    }
  });

  it('are shared by sessions with --shared, and are gone after the last one', { timeout: 120_000 }, async () => {
    const world = new HubWorld({ one: hostile(), own: hostile('', { share: 'session' }) });
    const sessions = [start(world, ['--shared', '--idle', '1s']), start(world, ['--shared', '--idle', '1s'])];
    for (const session of sessions) await ready(session, 'one__echo', 'own__echo');
    for (const session of sessions)
      for (const name of ['one', 'own']) expect(readText(await session.callTool(`${name}__echo`, { value: 'x' }))).toBe('x');
    const [first, second] = sessions;
    // Two fronts, the hub, one process for all, and one for each.
    expect(processesOf(world).length).toBe(6);
    expect(readText((await first?.callTool('hub_status')) ?? expect.fail())).toMatch(/one: running; [^\n]*2 clients/);
    await second?.stop();
    await expect.poll(() => processesOf(world).length, { timeout: 10_000 }).toBe(4);
    expect(readText((await first?.callTool('one__echo', { value: 'still' })) ?? expect.fail())).toBe('still');
    await first?.stop();
    await expect.poll(() => processesOf(world), { timeout: 15_000 }).toEqual([]);
  });

  it('write nothing but the protocol, and read on behind lines that are none', async () => {
    const world = new HubWorld({ one: hostile() });
    const server = start(world);
    server.send('this is not JSON');
    server.send({ id: 1 });
    await ready(server, 'one__echo');
    server.send({ jsonrpc: '2.0', id: 900, method: 'no/such' });
    expect(await server.request('no/such')).toMatchObject({ error: { code: -32_601 } });
    expect(await server.request('tools/call', { name: 7 })).toMatchObject({ error: { code: -32_602 } });
    expect(await server.request('ping')).toMatchObject({ result: {} });
    const { answer, cancel } = server.start('tools/call', { name: 'one__never', arguments: {} });
    await delay(100);
    cancel();
    answer.catch(() => undefined);
    await expect.poll(async () => readText(await server.callTool('one__cancelled'))).toBe('1');
    expect(server.impure).toEqual([]);
  });
});
