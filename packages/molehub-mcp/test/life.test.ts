import { describe, expect, it } from 'vitest';
import { HubWorld, hostile } from './hub-world.ts';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the life of a server', () => {
  it('begins once, however many calls wait for it', async () => {
    const world = new HubWorld({ one: hostile() });
    const door = world.openDoor();
    const first = await world.connect('legacy', { door, session: 'a' });
    const second = await world.connect('auto', { door, session: 'b' });
    await first.seen();
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? first : second).text('one__environment'));
      const pids = new Set((await Promise.all(calls)).map((text) => JSON.parse(text).pid));
      expect(pids.size).toBe(1);
      expect(await first.text('one__die')).toContain('E_SERVER_ENDED');
    }
    // One line for each process that was ever started: the three, and none beside them.
    expect(world.serverLog('one').match(/^started \d+$/gm)).toHaveLength(3);
  });

  it('is waited for by calls that come before it was ever seen', async () => {
    const world = new HubWorld({ one: hostile(), own: hostile('', { share: 'session' }), broken: hostile('broken') });
    const client = await world.connect('legacy');
    const calls = ['one', 'own', 'one'].map((server) => client.text(`${server}__echo`, { value: server }));
    expect(await Promise.all(calls)).toEqual(['one', 'own', 'one']);
    expect(await client.text('broken__echo')).toMatch(/^E_SERVER_START: .*no license found/);
    expect(await client.text('nothing__echo')).toMatch(/^E_UNKNOWN/);
    expect(world.serverLog('one').match(/^started \d+$/gm)).toHaveLength(1);
  });

  it('ends when its handshake takes too long', async () => {
    const world = new HubWorld({ silent: hostile('silent', { startTimeout: '600ms' }) });
    const client = await world.connect('legacy');
    await expect.poll(() => client.text('hub_status'), { timeout: 10_000 }).toContain('did not answer within 600 ms');
    const pids = [...world.serverLog('silent').matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
    expect(pids.length).toBeGreaterThan(0);
    await expect.poll(() => pids.filter(isAlive), { timeout: 5_000 }).toEqual([]);
  });

  it('does not slow that of another', async () => {
    const few = { tools: ['echo', 'stuck', 'flood'] };
    const world = new HubWorld({ stuck: hostile('', few), flood: hostile('', few), good: hostile('', few) });
    const client = await world.connect('legacy');
    await client.seen(11);
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const busy = [client.text('stuck__stuck', {}, options), client.text('flood__flood', {}, options)].map((one) =>
      one.catch(String),
    );
    for (let i = 0; i < 20; i++) expect(await client.text('good__echo', { value: `${i}` })).toBe(`${i}`);
    controller.abort();
    await Promise.all(busy);
  });

  it('is over when its entry is disabled while the hub runs', async () => {
    const world = new HubWorld({ one: hostile() });
    const client = await world.connect('legacy');
    await client.seen();
    const { pid } = JSON.parse(await client.text('one__environment'));
    world.write({ one: hostile('', { enabled: false }) });
    await expect.poll(() => client.text('hub_status'), { timeout: 10_000, interval: 300 }).toMatch(/one: disabled/);
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
    expect(await client.text('one__echo', { value: 'x' })).toContain('E_UNKNOWN');
  });
});

describe('what the hub says', () => {
  it('is searched with --search, however short the list is', async () => {
    const client = await new HubWorld({ one: hostile() }).connect('legacy', { search: true });
    await expect.poll(() => client.text('hub_search', { query: 'echo' }), { timeout: 10_000 }).toContain('one__echo');
    expect(await client.names()).toEqual(['hub_search', 'hub_describe', 'hub_call', 'hub_status', 'hub_restart']);
  });

  it('shows which tool a shortened name means', async () => {
    const long = 'a-server-whose-name-is-so-long-that-few-tools-fit-behind-it';
    const client = await new HubWorld({ [long]: hostile('', { tools: ['environment'] }) }).connect('legacy');
    const names = await client.seen(3);
    const name = names.find((one) => !one.startsWith('hub_')) ?? '';
    expect(name).toMatch(/^a-server-whose-name-[\w-]{33}_[0-9a-f]{6}$/);
    expect(await client.text('hub_status')).toContain(`${name} = environment`);
    expect(JSON.parse(await client.text(name))).toHaveProperty('pid');
  });

  it('is that the file of --config wins over the others', async () => {
    const world = new HubWorld({ same: hostile(), own: hostile() });
    const named = world.folder.at('named.json');
    world.write({ same: hostile('', { env: { WHICH: 'named' } }) }, named);
    const client = await world.connect('legacy', { config: named });
    await client.seen(28);
    expect(JSON.parse(await client.text('same__environment')).env.WHICH).toBe('named');
    expect(await client.text('hub_status')).toMatch(
      /same: running[\s\S]*from .*named\.json\n {2}shadows the entry in .*mcp\.json/,
    );
  });
});
