import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everything, type HubClient, HubWorld, hostile, type Mode, typeCommand } from './hub-world.ts';

const modes: readonly Mode[] = ['legacy', 'auto'];
const noted = (only: string, more: Record<string, unknown> = {}) => {
  const { env, ...rest } = more;
  return hostile('', { env: { ONLY: only, ...(typeof env === 'object' && env) }, ...rest });
};

const promptNames = async (client: HubClient) =>
  (await client.listPrompts(undefined, { cacheMode: 'refresh' })).prompts.map(({ name }) => name);
const uris = async (client: HubClient) =>
  (await client.listResources(undefined, { cacheMode: 'refresh' })).resources.map(({ uri }) => uri);

describe.each(modes)('prompts and resources, for a client of the era %s', (mode) => {
  it('prompts and resources of a server from npm are listed, completed and read, also by the links in its answers', async () => {
    const client = await new HubWorld({ every: everything }).connect(mode);
    await client.seen(4);
    expect(await promptNames(client)).toEqual(
      ['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt'].map((name) => `every__${name}`),
    );
    const { messages } = await client.getPrompt({ name: 'every__args-prompt', arguments: { city: 'Rome' } });
    expect(JSON.stringify(messages)).toContain("What's weather in Rome?");
    const ref = { type: 'ref/prompt' as const, name: 'every__completable-prompt' };
    const completed = await client.complete({ ref, argument: { name: 'department', value: 'S' } });
    expect(completed.completion.values).toEqual(['Sales', 'Support']);
    const { content } = await client.result('every__get-resource-reference', { resourceType: 'Text', resourceId: 3 });
    const embedded = content.find(({ type }) => type === 'resource');
    const uri = embedded?.type === 'resource' ? embedded.resource.uri : expect.fail('no resource');
    expect(uri).toBe('molehub://every/demo://resource/dynamic/text/3');
    expect(JSON.stringify(await client.readResource({ uri }))).toContain('Resource 3: This is a plaintext');
    const mentioned = 'demo://resource/dynamic/text/5';
    expect((await client.readResource({ uri: mentioned })).contents).toMatchObject([{ uri: `molehub://every/${mentioned}` }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes('blob'));
    const expanded = template?.uriTemplate.replace('{resourceId}', '4') ?? expect.fail('no template');
    expect((await client.readResource({ uri: expanded })).contents).toMatchObject([{ uri: expanded, blob: expect.any(String) }]);
    const byTemplate = { type: 'ref/resource' as const, uri: template?.uriTemplate ?? '' };
    const ids = await client.complete({ ref: byTemplate, argument: { name: 'resourceId', value: '7' } });
    expect(ids.completion.values).toEqual(['7']);
  });

  it('prompts and resources of two servers are kept apart', async () => {
    const client = await new HubWorld({ a: noted('a'), 'b/c': noted('b') }).connect(mode);
    await client.seen(28);
    expect(await uris(client)).toEqual([
      'molehub://a/demo://notes/1',
      'molehub://a/demo://only/a',
      'molehub://b%2Fc/demo://notes/1',
      'molehub://b%2Fc/demo://only/b',
    ]);
    expect(await promptNames(client)).toEqual(['a__greet', 'b_c__greet']);
    const { contents } = await client.readResource({ uri: 'molehub://b%2Fc/demo://notes/9' });
    expect(contents).toMatchObject([{ uri: 'molehub://b%2Fc/demo://notes/9', text: 'the text of demo://notes/9' }]);
    // A text of a server mentions its own URI: it is enough where only one server has it.
    expect((await client.readResource({ uri: 'demo://only/b' })).contents).toMatchObject([{ text: 'the text of demo://only/b' }]);
    await expect(client.readResource({ uri: 'demo://notes/1' })).rejects.toThrow(
      /E_INPUT: several servers have the resource.*molehub:\/\/a\/demo:\/\/notes\/1 or molehub:\/\/b%2Fc/,
    );
    // This server does not complete.
    const ref = { type: 'ref/prompt' as const, name: 'a__greet' };
    expect((await client.complete({ ref, argument: { name: 'who', value: '' } })).completion.values).toEqual([]);
  });

  it('prompts and resources that do not exist, fail or are malformed are errors of the protocol', async () => {
    const client = await new HubWorld({ a: noted('a', { callTimeout: '300ms' }) }).connect(mode);
    await client.seen(14);
    await expect(client.getPrompt({ name: 'a__greed' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringMatching(/E_UNKNOWN: no prompt is called "a__greed"\. Nearest: a__greet\./),
    });
    await expect(client.readResource({ uri: 'demo://absent' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('E_UNKNOWN: no server has the resource "demo://absent"'),
    });
    await expect(client.readResource({ uri: 'molehub://z/demo://notes/1' })).rejects.toThrow('E_UNKNOWN');
    await expect(client.readResource({ uri: 'molehub://a/demo://notes/missing' })).rejects.toMatchObject({
      data: { uri: 'demo://notes/missing' },
    });
    await expect(client.getPrompt({ name: 'a__greet', arguments: { who: 'never' } })).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringMatching(/E_TIMEOUT: greet of server "a" did not answer within 300 ms/),
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    await expect(
      client.getPrompt({ name: 'a__greet', arguments: { who: 'never' } }, { signal: controller.signal }),
    ).rejects.toThrow();
    await expect.poll(() => client.text('a__cancelled')).toBe('2');
  });
});

describe('prompts and resources', () => {
  it('are listed from what was seen, and nothing is started for it', async () => {
    const world = new HubWorld({ a: noted('a') });
    const first = await world.connect('legacy');
    await first.seen(14);
    const startLists = () => readdirSync(world.folder.at('.config/molehub/state')).filter((name) => name.startsWith('start-'));
    await expect.poll(startLists, { timeout: 5_000 }).toHaveLength(1);
    await first.door?.dispose();
    const door = world.openDoor();
    const client = await world.connect('legacy', { door });
    expect(await promptNames(client)).toEqual(['a__greet']);
    expect(await uris(client)).toHaveLength(2);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    // The hub itself is not open yet.
    expect(door.remembered()).toBeDefined();
    expect(await client.text('hub_status')).toMatch(/a: stopped; hostile 6\.6\.6; 14 tools, 1 prompt, 3 resources/);
  });

  it('are left out on request, and cannot be reached then', async () => {
    const world = new HubWorld({ a: noted('a', { prompts: false }), b: noted('b', { resources: false }) });
    const client = await world.connect('legacy');
    await client.seen(28);
    expect(await promptNames(client)).toEqual(['b__greet']);
    expect(await uris(client)).toEqual(['molehub://a/demo://notes/1', 'molehub://a/demo://only/a']);
    await expect(client.getPrompt({ name: 'a__greet' })).rejects.toThrow('E_UNKNOWN');
    for (const uri of ['molehub://b/demo://notes/1', 'demo://only/b'])
      await expect(client.readResource({ uri })).rejects.toThrow('E_UNKNOWN');
  });

  it('show hidden characters, and keep their names', async () => {
    const client = await new HubWorld({ a: noted('a') }).connect('legacy');
    await client.seen(14);
    const { prompts } = await client.listPrompts();
    expect(prompts[0]?.description).toBe('greets⟦U+202E⟧ 1');
    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({ name: 'one⟦U+200B⟧', description: 'first 1' });
  });

  it('prompts and resources that changed are announced; a changed prompt is flagged, and with --pin withheld until it is accepted', async () => {
    const world = new HubWorld({ a: noted('a') });
    await typeCommand(world, 'check');
    const client = await world.connect('legacy', { pin: true });
    expect(await promptNames(client)).toEqual(['a__greet']);
    world.write({ a: noted('a', { env: { VERSION: '2' } }) });
    await expect
      .poll(async () => [await client.text('hub_status'), await promptNames(client)], { timeout: 10_000 })
      .toEqual([expect.stringMatching(/since it was accepted: .*prompt greet changed/), []]);
    expect(client.changedLists).toEqual(expect.arrayContaining(['tools', 'prompts', 'resources']));
    await expect(client.getPrompt({ name: 'a__greet' })).rejects.toThrow(
      /E_TOOL_CHANGED: a__greet has changed since the prompts of server "a" were accepted[\s\S]*molehub-mcp accept a/,
    );
    // The list of resources is content.
    expect((await client.listResources()).resources[0]?.description).toBe('first 2');
    expect((await typeCommand(world, 'accept a --yes')).text).toMatch(/prompt greet \(changed\):[\s\S]*greets⟦U\+202E⟧ 2/);
    await expect.poll(() => promptNames(client), { timeout: 10_000 }).toEqual(['a__greet']);
  });
});
