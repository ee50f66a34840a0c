import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HubWorld, hostile, type Mode } from './hub-world.ts';

const modes: readonly Mode[] = ['legacy', 'auto'];

describe.each(modes)('a hostile server, for a client of the era %s', (mode) => {
  it('passes on a result as it was written, and an error of the protocol with its data', async () => {
    const client = await new HubWorld({ bad: hostile() }).connect(mode);
    await client.seen();
    expect(await client.result('bad__echo', { value: 'x' })).toEqual({
      content: [{ type: 'text', text: 'x' }],
      structuredContent: { value: 'x' },
      isError: false,
      extra: { kept: true },
    });
    await expect(client.text('bad__fail')).rejects.toMatchObject({ code: -32_050, message: expect.stringContaining('broken') });
    const steps: string[] = [];
    await client.text('bad__progress', {}, { onprogress: ({ message = '' }) => void steps.push(message) });
    expect(steps).toEqual(['step 1', 'step 2', 'step 3']);
  });

  it('a server that answers with other ids and floods its streams is read no more than it should be', async () => {
    const world = new HubWorld({ bad: hostile() });
    const client = await world.connect(mode);
    await client.seen();
    expect(await client.text('bad__wrong_id')).toBe('yours');
    expect(await client.text('bad__flood')).toBe('after the flood');
    await expect.poll(() => world.serverLog('bad').length).toBeGreaterThan(10_000);
    expect(statSync(world.folder.at('.config/molehub/state/logs/bad.log')).size).toBeLessThanOrEqual(1024 * 1024);
  });

  it('a server that dies in a call fails the calls of its callers, and is back for the next one', async () => {
    const client = await new HubWorld({ bad: hostile(), good: hostile() }).connect(mode);
    await client.seen(25);
    const waiting = client.text('bad__never');
    const [died, other] = await Promise.all([client.text('bad__die'), client.text('good__echo', { value: 'fine' })]);
    expect(died).toMatch(/^E_SERVER_ENDED: server "bad" ended with exit code 3 during the call/);
    expect(await waiting).toContain('E_SERVER_ENDED');
    expect(other).toBe('fine');
    expect(await client.text('bad__echo', { value: 'again' })).toBe('again');
    expect(await client.text('hub_status')).toContain('last error: it ended with exit code 3');
  });

  it('a server that never answers is cancelled when its time is over, and lives on', async () => {
    const client = await new HubWorld({ bad: hostile('', { callTimeout: '300ms' }) }).connect(mode);
    await client.seen();
    expect(await client.text('bad__never')).toMatch(/^E_TIMEOUT: never of server "bad" did not answer within 300 ms/);
    expect(await client.text('bad__cancelled')).toBe('1');
    const controller = new AbortController();
    const given = client.text('bad__never', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(given).rejects.toThrow();
    await expect.poll(() => client.text('bad__cancelled')).toBe('2');
  });
});

describe('a hostile server', () => {
  it('a server that does not respond after a cancelled call is ended with everything that it runs', async () => {
    const client = await new HubWorld({ bad: hostile('', { callTimeout: '200ms' }) }).connect('legacy');
    await client.seen();
    expect(await client.text('bad__stuck')).toContain('E_TIMEOUT');
    await expect
      .poll(() => client.text('hub_status'), { timeout: 10_000, interval: 500 })
      .toContain('did not respond within 5000 ms');
    expect(await client.text('bad__echo', { value: 'again' })).toBe('again');
  });

  it('a server that answers with 50 MB fails that call alone', async () => {
    const client = await new HubWorld({ bad: hostile() }).connect('legacy');
    await client.seen();
    expect(await client.text('bad__big', { bytes: 50_000_000 })).toMatch(/^E_LIMIT: server "bad" answered with 500000\d\d bytes/);
    expect(await client.text('bad__big', { bytes: 1_000_000 })).toHaveLength(1_000_000);
  });

  it('a server that does not answer the handshake is ended, and hides no other', async () => {
    const client = await new HubWorld({ bad: hostile('silent', { startTimeout: '600ms' }), good: hostile() }).connect('legacy');
    await client.seen(10);
    expect(await client.text('good__echo', { value: 'fine' })).toBe('fine');
    await expect.poll(() => client.text('hub_status'), { timeout: 30_000 }).toContain('did not answer within 600 ms');
    expect(await client.text('hub_restart', { server: 'bad' })).toContain('E_SERVER_START');
  });

  it('a server that ends at the question of the newer era is started once more in the older one', async () => {
    const client = await new HubWorld({ old: hostile('initialize-only') }).connect('auto');
    await client.seen();
    expect(await client.text('old__echo', { value: 'x' })).toBe('x');
  });

  it('a server with definitions that are nested too deeply hides no other, also at the next start', async () => {
    const world = new HubWorld({ bad: hostile('deep'), good: hostile() });
    for (const session of ['one', 'two']) {
      const client = await world.connect('legacy', { session });
      await client.seen(10);
      expect(await client.text('good__echo', { value: 'fine' })).toBe('fine');
      await expect.poll(() => client.text('hub_status')).toContain('its tools are nested too deeply');
    }
  });

  it('a server that says what it likes adds no line to the status', async () => {
    const client = await new HubWorld({ bad: hostile('', { env: { NAME: 'bad\ngood: running' } }) }).connect('legacy');
    await client.seen();
    expect(await client.text('hub_status')).toContain('bad: running; bad good: running 6.6.6');
  });

  it('a server that asks and reports without an end is heard a little, by its name', async () => {
    const client = await new HubWorld({ bad: hostile('eager') }).connect('legacy', { elicitation: { form: {} } });
    await client.seen();
    expect(await client.text('bad__ask_often')).toBe('asked');
    expect(new Set(client.questions)).toEqual(new Set(['bad: more?⟦U+202E⟧']));
    expect(client.questions.length).toBeLessThan(20);
    const reports: unknown[] = [];
    await client.text('bad__report_often', {}, { onprogress: (report) => void reports.push(report) });
    expect(reports[0]).toEqual({ progress: 1 });
    expect(reports.length).toBeLessThan(100);
  });

  it('a server that cannot be started is reported with its last words, and is held after five times', async () => {
    const client = await new HubWorld({ broken: hostile('broken'), missing: { command: '/no/such/program' } }).connect('legacy');
    await expect.poll(() => client.text('hub_status')).toMatch(/no license found/);
    expect(await client.text('hub_restart', { server: 'missing' })).toMatch(/E_SERVER_START.*ENOENT/);
    for (let i = 0; i < 4; i++) await client.text('hub_restart', { server: 'broken' });
    expect(await client.text('hub_status', { server: 'broken' })).toMatch(/broken: failing|broken: held/);
  });

  it('a server that changes its list all the time is followed, and what changed is flagged', async () => {
    const client = await new HubWorld({ bad: hostile('changing') }).connect('legacy');
    await client.seen();
    await client.text('bad__echo', { value: 'x' });
    await delay(2_500);
    expect(client.changes).toBeGreaterThan(1);
    expect(client.changes).toBeLessThan(6);
    expect(await client.text('hub_status')).toMatch(/since it was accepted: .*changed_\d+ new.*\n.*accept bad/);
  });

  it('is restarted with a wait that grows, and after five crashes only on request', async () => {
    const client = await new HubWorld({ bad: hostile() }).connect('legacy');
    await client.seen();
    for (let i = 0; i < 5; i++) expect(await client.text('bad__die')).toContain('E_SERVER_ENDED');
    expect(await client.text('bad__echo', { value: 'x' })).toMatch(/^E_SERVER_HELD.*\nNext: Call hub_restart/);
    expect(await client.text('hub_restart', { server: 'bad' })).toMatch(
      /^Restarted\.\n.*\nbad: running|^Restarted\.\nbad: running/,
    );
    expect(await client.text('bad__echo', { value: 'x' })).toBe('x');
  });

  it('gets the environment of its entry and no other, and shows hidden characters', async () => {
    const world = new HubWorld({ bad: hostile('', { env: { OWN: '${GIVEN}', TOKEN: { env: 'SECRET_ONE' } } }) });
    const client = await world.connect('legacy', { env: { GIVEN: 'given', SECRET_ONE: 'hunter2-hunter2', OTHER: 'not for it' } });
    await client.seen();
    const { env, cwd } = JSON.parse(await client.text('bad__environment'));
    expect(env).toMatchObject({ OWN: 'given', TOKEN: 'hunter2-hunter2', HOME: world.folder.path, MODE: '' });
    expect(env).not.toHaveProperty('OTHER');
    expect(env).not.toHaveProperty('GIVEN');
    expect(cwd).toBe(world.folder.path);
    const { tools } = await client.listTools();
    const hidden = tools.find(({ name }) => name === 'bad__hidden');
    expect(hidden?.description).toBe('safe⟦U+202E⟧ 1');
    expect(JSON.stringify(hidden?.inputSchema)).toBe(
      JSON.stringify({ type: 'object', properties: { 'a\u200bb': { description: 'x⟦U+200B⟧y' } } }),
    );
  });
});
