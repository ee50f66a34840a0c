import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HubWorld, hostile, type Mode } from './hub-world.ts';

const modes: readonly Mode[] = ['legacy', 'auto'];

describe('the list of tools', () => {
  it('is there at once and starts nothing when the servers were seen before', async () => {
    const world = new HubWorld({ one: hostile(), two: hostile('', { tools: ['echo', 'h*'] }) });
    const first = await world.connect('legacy');
    const names = await first.seen(17);
    const startLists = () => readdirSync(world.folder.at('.config/molehub/state')).filter((name) => name.startsWith('start-'));
    await expect.poll(startLists, { timeout: 5_000 }).toHaveLength(1);
    await first.door?.dispose();
    const door = world.openDoor();
    const client = await world.connect('legacy', { door });
    expect(await client.names()).toEqual(names);
    // The hub itself is not open yet.
    expect(door.remembered()).toBeDefined();
    expect(await client.text('two__echo', { value: 'x' })).toBe('x');
    expect(await client.text('hub_status')).toMatch(/one: stopped[\s\S]*two: running/);
  });

  it('follows a change of the files while the hub runs', async () => {
    const world = new HubWorld({ one: hostile() });
    const client = await world.connect('legacy');
    await client.seen();
    await client.text('one__echo', { value: 'x' });
    world.write({ other: hostile() });
    await delay(600);
    await expect.poll(() => client.names(), { timeout: 10_000 }).toContain('other__echo');
    expect((await client.names()).filter((name) => name.startsWith('one__'))).toEqual([]);
    writeFileSync(world.own, '{ "mcpServers": ');
    await delay(600);
    expect(await client.text('hub_status')).toContain('is not valid JSON');
  });

  it.each(modes)('is searched above thirty tools, for a client of the era %s', async (mode) => {
    const world = new HubWorld({ many: hostile('', { env: { TOOLS: '40' } }), few: hostile() });
    const client = await world.connect(mode);
    // The shorter list may be there before the longer one.
    await expect
      .poll(() => client.names(), { timeout: 20_000 })
      .toEqual(['hub_search', 'hub_describe', 'hub_call', 'hub_status', 'hub_restart']);
    await expect
      .poll(() => client.text('hub_search'), { timeout: 10_000 })
      .toMatch(/^2 servers\.\nmany: 53 tools \(echo, [\s\S]*few: 13 tools/);
    expect(await client.text('hub_search', { query: 'extra 39' })).toMatch(
      /^4\d tools\..*Next: hub_describe\.\nmany__extra_39: does extra_39/,
    );
    expect(await client.text('hub_search', { query: 'echoes', server: 'few', limit: 1 })).toContain('few__echo');
    expect(await client.text('hub_search', { query: 'zzz' })).toContain('No tool matches');
    expect(await client.text('hub_describe', { names: ['few__echo'] })).toContain('"inputSchema"');
    expect(await client.text('hub_describe', { names: ['few__ecko'] })).toMatch(/E_UNKNOWN.*Nearest: few__echo/);
    const called = await client.result('hub_call', { name: 'few__echo', arguments: { value: 'x' } });
    expect(called).toMatchObject({ structuredContent: { value: 'x' } });
    expect(await client.text('hub_call', { name: 'few__never', timeout_ms: 200 })).toContain('E_TIMEOUT');
    expect(await client.text('hub_call', { name: 'few__echo', value: 'beside', timeout_ms: 5_000 })).toBe('beside');
    expect(await client.text('hub_call', { name: 'few__echo', arguments: { value: 'in' }, timeout_ms: '5000' })).toBe('in');
    expect(await client.text('hub_call', { name: 'few__echo', other: 'x' })).toMatch(/E_INPUT.*unknown argument "other"/);
    expect(await client.text('hub_call', { nam: 'few__echo' })).toContain('E_INPUT');
    expect(await client.text('few__echo', { value: 'direct' })).toBe('direct');
  });

  it('is one process for all sessions, or one for each', async () => {
    const world = new HubWorld({ all: hostile(), own: hostile('', { share: 'session' }), short: hostile('', { idle: '300ms' }) });
    const door = world.openDoor();
    const [first, second] = [
      await world.connect('legacy', { door, session: 'a' }),
      await world.connect('auto', { door, session: 'b' }),
    ];
    await expect.poll(() => first.text('hub_search'), { timeout: 20_000 }).toMatch(/(?:\w+: 13 tools[^\n]*\n?){3}/);
    for (const client of [first, second])
      for (const server of ['all', 'own', 'short'])
        await client.text('hub_call', { name: `${server}__echo`, arguments: { value: 'x' } });
    const status = await first.text('hub_status');
    expect(status).toMatch(/all: running; [^\n]*; pid \d+, 2 clients/);
    expect(status).toMatch(/own: running; [^\n]*; pid \d+, 1 client; pid \d+, 1 client/);
    second.endSession();
    await expect.poll(() => first.text('hub_status'), { timeout: 5_000 }).toMatch(/own: running; [^\n]*; pid \d+, 1 client\n/);
    await expect.poll(() => first.text('hub_status'), { timeout: 5_000 }).toMatch(/short: stopped/);
  });

  it('keeps a question apart from other sessions', async () => {
    const world = new HubWorld({ bad: hostile() });
    const door = world.openDoor();
    const first = await world.connect('legacy', { door, session: 'a', elicitation: { form: {} } });
    const second = await world.connect('legacy', { door, session: 'b', elicitation: { form: {} } });
    await first.seen();
    const controller = new AbortController();
    const waiting = second.text('bad__never', {}, { signal: controller.signal }).catch(() => 'given up');
    expect(await first.text('bad__ask')).toContain('calls of several sessions are running');
    expect([...first.questions, ...second.questions]).toEqual([]);
    controller.abort();
    expect(await waiting).toBe('given up');
  });

  it('does not break on a manifest that was damaged', async () => {
    const world = new HubWorld({ one: hostile() });
    const first = await world.connect('legacy');
    await first.seen();
    await first.door?.dispose();
    const folder = world.folder.at('.config/molehub/state/manifests');
    const [file = ''] = readdirSync(folder);
    expect(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')).manifest.tools).toHaveLength(13);
    writeFileSync(`${folder}/${file}`, '{"version":1,"manifest":{"tools":7}}');
    expect(await (await world.connect('legacy')).seen()).toContain('one__echo');
  });
});
