// A server that does what servers do when something is wrong with them. MODE says what it does at its start, the tool what a call does.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const mode = process.env.MODE ?? '';
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tool = (name, more = {}) => ({ name, description: `does ${name}`, inputSchema: { type: 'object' }, ...more });
const names = [
  'echo',
  ...(process.env.ONLY === undefined ? [] : ['link']),
  'never',
  'stuck',
  'die',
  'big',
  'wrong_id',
  'flood',
  'progress',
  'fail',
  'environment',
  'cancelled',
  'ask',
  ...(mode === 'eager' ? ['ask_often', 'report_often'] : []),
];
let version = Number(process.env.VERSION ?? 1);
let cancelled = 0;
/** It has prompts and resources as well. */
const hasOffers = process.env.ONLY !== undefined;

function listTools() {
  const hidden = tool('hidden', {
    description: `safe\u202e ${version}`,
    inputSchema: { type: 'object', properties: { 'a\u200bb': { description: 'x\u200by' } } },
  });
  const many = Array.from({ length: Number(process.env.TOOLS ?? 0) }, (_, i) => tool(`extra_${i}`));
  const echo = { inputSchema: { type: 'object', properties: { value: {} } } };
  return [
    ...names.map((name) => tool(name, name === 'echo' ? echo : {})),
    hidden,
    ...many,
    ...(mode === 'deep'
      ? [tool('deep', { inputSchema: { type: 'object', allOf: JSON.parse('['.repeat(2_400) + ']'.repeat(2_400)) } })]
      : []),
    ...(mode === 'changing' ? [tool(`changed_${version}`)] : []),
  ];
}

const offers = {
  'prompts/list': (id) =>
    send({
      id,
      result: {
        prompts: [{ name: 'greet', description: `greets\u202e ${version}`, arguments: [{ name: 'who', required: true }] }],
      },
    }),
  'resources/list': (id, { cursor }) =>
    send({
      id,
      result:
        cursor === undefined
          ? { resources: [{ uri: 'demo://notes/1', name: 'one\u200b', description: `first ${version}` }], nextCursor: 'more' }
          : { resources: [{ uri: `demo://only/${process.env.ONLY}`, name: 'only' }, { name: 'it has no URI' }] },
    }),
  'resources/templates/list': (id) =>
    send({ id, result: { resourceTemplates: [{ uriTemplate: 'demo://notes/{id}', name: 'notes' }] } }),
  'prompts/get'(id, { name, arguments: { who } = {} }) {
    const resource = { uri: 'demo://notes/1', text: `${name} ${who}` };
    if (who !== 'never') send({ id, result: { messages: [{ role: 'user', content: { type: 'resource', resource } }] } });
  },
  'resources/read'(id, { uri }) {
    if (uri === 'demo://notes/missing') send({ id, error: { code: -32_002, message: 'not found', data: { uri } } });
    else send({ id, result: { contents: [{ uri, text: `the text of ${uri}` }] } });
  },
};

const calls = {
  link: (id) => send({ id, result: { content: [{ type: 'resource_link', uri: 'demo://notes/2', name: 'two' }] } }),
  echo: (id, { value }) =>
    send({ id, result: { ...text(value), structuredContent: { value }, isError: value === 'wrong', extra: { kept: true } } }),
  never: () => undefined,
  stuck: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  die: () => process.exit(3),
  big: (id, { bytes }) => send({ result: text('x'.repeat(bytes)), id }),
  wrong_id(id) {
    for (const other of ['other', 12345, null, `${id}0`]) send({ id: other, result: text('not yours') });
    send({ id, result: text('yours') });
  },
  flood(id) {
    process.stderr.write(`${'stderr '.repeat(20)}\n`.repeat(10_000));
    process.stdout.write('this is no message\n'.repeat(100_000));
    send({ id, result: text('after the flood') });
  },
  progress(id, _, meta) {
    for (const progress of [1, 2, 3])
      send({
        method: 'notifications/progress',
        params: { progressToken: meta?.progressToken, progress, total: 3, message: `step ${progress}` },
      });
    setTimeout(() => send({ id, result: text('done') }), 20);
  },
  fail: (id) => send({ id, error: { code: -32_050, message: 'it is broken', data: { part: 7 } } }),
  environment: (id) => send({ id, result: text(JSON.stringify({ env: process.env, cwd: process.cwd(), pid: process.pid })) }),
  cancelled: (id) => send({ id, result: text(cancelled) }),
  ask_often(id) {
    for (let i = 0; i < 50; i++)
      send({
        id: `other-${i}`,
        method: 'elicitation/create',
        params: { message: 'more?\u202e', requestedSchema: { type: 'object', properties: {} } },
      });
    setTimeout(() => send({ id, result: text('asked') }), 200);
  },
  report_often(id, _, meta) {
    for (let progress = 1; progress <= 5_000; progress++)
      send({
        method: 'notifications/progress',
        params: { progressToken: meta?.progressToken, progress, more: 'x'.repeat(1_000) },
      });
    send({ id, result: text('done') });
  },
  ask: (id) =>
    send({
      id: `ask-${id}`,
      method: 'elicitation/create',
      params: { message: 'your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
    }),
};

const requests = {
  initialize: (id) =>
    send({
      id,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: {
          tools: { listChanged: true },
          ...(hasOffers && { prompts: { listChanged: true }, resources: { listChanged: true } }),
        },
        serverInfo: { name: process.env.NAME ?? 'hostile', version: '6.6.6' },
        instructions: 'be careful',
      },
    }),
  ping: (id) => send({ id, result: {} }),
  'tools/list': (id) => send({ id, result: { tools: listTools() } }),
  'tools/call': (id, params) => calls[params.name]?.(id, params.arguments ?? {}, params._meta),
  ...(hasOffers && offers),
};

function take({ id, method, params, result, error }) {
  if (typeof id === 'string' && id.startsWith('ask-'))
    send({ id: id.slice(4), result: text(JSON.stringify(result ?? { error: error.message })) });
  if (method === 'server/discover' && mode === 'initialize-only') process.exit(1);
  if (method === 'notifications/cancelled') cancelled += 1;
  if (id === undefined || method === undefined || (mode === 'silent' && method !== 'ping')) return;
  if (Object.hasOwn(requests, method)) requests[method](id, params ?? {});
  else send({ id, error: { code: -32_601, message: 'unknown method' } });
}

process.stderr.write(`started ${process.pid}\n`);
if (mode === 'broken') {
  process.stderr.write('no license found\n');
  process.exit(9);
}
if (mode === 'stubborn') {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  setInterval(() => undefined, 1_000);
}
if (mode === 'family') spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
if (mode === 'changing') {
  setInterval(() => {
    version += 1;
    send({ method: 'notifications/tools/list_changed' });
  }, 200);
}
createInterface({ input: process.stdin })
  .on('line', (line) => {
    try {
      take(JSON.parse(line));
    } catch (error) {
      process.stderr.write(`${error}\n`);
    }
  })
  .on('close', () => {
    if (mode !== 'stubborn') process.exit(0);
  });
