import { describe, expect, it } from 'vitest';
import { askingServer, findModule, HubWorld, hostile, type Mode } from './hub-world.ts';
import { listenHttp } from './listen-modern.ts';
import { createModernServer } from './modern-server.ts';

const clients: readonly Mode[] = ['legacy', 'auto'];
const form = { form: {} };

interface ServerKind {
  title: string;
  era: 'legacy' | 'modern';
  /** The SDK's older server over HTTP keeps no session, and so cannot ask. */
  asks: boolean;
  open(): Promise<Record<string, unknown>>;
}

const servers: readonly ServerKind[] = [
  { title: 'older stdio', era: 'legacy', asks: true, open: async () => hostile('', { env: { ONLY: 'a' } }) },
  {
    ...{ title: 'newer stdio', era: 'modern', asks: true },
    open: async () => ({ command: process.execPath, args: ['--import', 'tsx', askingServer], cwd: findModule('..') }),
  },
  {
    ...{ title: 'older HTTP', era: 'legacy', asks: false },
    open: async () => ({ url: (await listenHttp(createModernServer, { isOld: true })).url }),
  },
  {
    ...{ title: 'newer HTTP', era: 'modern', asks: true },
    open: async () => ({ url: (await listenHttp(createModernServer)).url }),
  },
];

const pairs = clients.flatMap((client) => servers.map((server) => ({ client, server, title: server.title })));

describe.each(pairs)('a client of the era $client and a server of the $title', ({ client: mode, server }) => {
  it('exchange calls, progress, errors, questions, prompts and resources', async () => {
    const world = new HubWorld({ far: await server.open() });
    const client = await world.connect(mode, { elicitation: form });
    await client.seen(5);
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
    expect(await world.readEra('far')).toBe(server.era);
    expect(await client.result('far__echo', { value: 'x' })).toMatchObject({
      content: [{ type: 'text', text: 'x' }],
      structuredContent: { value: 'x' },
    });
    const steps: string[] = [];
    const options = { onprogress: ({ message = '' }) => void steps.push(message) };
    expect(await client.text('far__progress', {}, options)).toBe('done');
    expect(steps).toEqual(['step 1', 'step 2', 'step 3']);
    const failed = await client.result('far__fail').then(JSON.stringify, (error: Error) => error.message);
    expect(failed).toContain('it is broken');

    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([{ name: 'far__greet', arguments: [{ name: 'who', required: true }] }]);
    const { messages } = await client.getPrompt({ name: 'far__greet', arguments: { who: 'Ann' } });
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'resource', resource: { uri: 'molehub://far/demo://notes/1', text: 'greet Ann' } } },
    ]);
    const { resources } = await client.listResources();
    expect(resources[0]?.uri).toBe('molehub://far/demo://notes/1');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((one) => one.uriTemplate)).toEqual(['molehub://far/demo://notes/{id}']);
    const [link] = (await client.result('far__link')).content;
    const uri = link?.type === 'resource_link' ? link.uri : expect.fail('no link');
    expect(await client.readResource({ uri })).toMatchObject({ contents: [{ uri, text: 'the text of demo://notes/2' }] });
  });
});

const echoing = pairs.filter(({ title }) => title !== 'older stdio');

describe.each(echoing)(
  'a client of the era $client that traces its calls, and a server of the $title',
  ({ client: mode, server }) => {
    it('share the trace, and nothing else of the metadata', async () => {
      const world = new HubWorld({ far: await server.open() });
      const client = await world.connect(mode);
      await client.seen(5);
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const call = { name: 'far__echo', arguments: { value: 'x' } };
      const traced = await client.callTool({ ...call, _meta: { traceparent, tracestate: 'a=1', note: 'own' } });
      expect(traced.structuredContent).toMatchObject({ trace: JSON.stringify([traceparent, 'a=1', null]) });
      expect((await client.callTool(call)).structuredContent).toMatchObject({ trace: '[null,null,null]' });
    });
  },
);

const asking = pairs.filter(({ server }) => server.asks);

describe.each(asking)('a client of the era $client and a server of the $title that asks', ({ client: mode, server }) => {
  it('exchange a question, and get an error where the client cannot ask', async () => {
    const world = new HubWorld({ far: await server.open() });
    const able = await world.connect(mode, { elicitation: form });
    await able.seen(5);
    expect(await able.text('far__ask')).toContain('"name":"Ann"');
    expect(able.questions).toEqual(['far: your name?']);
    able.isClumsy = true;
    await expect(able.text('far__ask').then(String, String)).resolves.toContain('it has no window');
    const unable = await world.connect(mode, { session: 'two' });
    await unable.seen(5);
    await expect(unable.text('far__ask').then(String, String)).resolves.toMatch(/elicitation|cannot ask/i);
  });
});

describe.each(asking.filter(({ server }) => server.era === 'modern'))(
  'a client of the era $client and a server of the $title that asks to open a page',
  ({ client: mode, server }) => {
    it('exchange the question where the client can show a page', async () => {
      const world = new HubWorld({ far: await server.open() });
      const able = await world.connect(mode, { elicitation: { form: {}, url: {} } });
      await able.seen(5);
      expect(await able.text('far__ask_url')).toContain('accept');
      expect(able.questions).toEqual(['far: open it']);
      const unable = await world.connect(mode, { session: 'two', elicitation: form });
      await unable.seen(5);
      await expect(unable.text('far__ask_url').then(String, String)).resolves.toMatch(/elicitation|cannot show a URL/i);
      expect(unable.questions).toEqual([]);
    });
  },
);

describe('a server of the newer era over HTTP', () => {
  it.each(clients)('tells of a changed list, for a client of the era %s', async (mode) => {
    let round = 1;
    const { url, handler } = await listenHttp(() => {
      const server = createModernServer();
      if (round > 1) server.registerTool('later', { description: 'came later' }, async () => ({ content: [] }));
      if (round > 1) server.registerPrompt('later', {}, () => ({ messages: [] }));
      return server;
    });
    const client = await new HubWorld({ far: { url } }).connect(mode);
    await client.seen(5);
    await client.text('far__echo', { value: 'x' });
    round = 2;
    handler.notify.toolsChanged();
    await expect.poll(() => client.names(), { timeout: 10_000 }).toContain('far__later');
    const prompts = async () => (await client.listPrompts(undefined, { cacheMode: 'refresh' })).prompts.map(({ name }) => name);
    await expect.poll(prompts, { timeout: 10_000 }).toContain('far__later');
  });

  it('is cancelled when its caller gives up', async () => {
    let signal: AbortSignal | undefined;
    const { url } = await listenHttp(() => {
      const server = createModernServer();
      server.registerTool('wait', { description: 'waits' }, ({ mcpReq }) => {
        signal = mcpReq.signal;
        return new Promise((resolve) => mcpReq.signal.addEventListener('abort', () => resolve({ content: [] })));
      });
      return server;
    });
    const client = await new HubWorld({ far: { url, callTimeout: '300ms' } }).connect('auto');
    await client.seen(5);
    expect(await client.text('far__wait')).toMatch(/^E_TIMEOUT: wait of server "far"/);
    await expect.poll(() => signal?.aborted, { timeout: 5_000 }).toBe(true);
  });
});
