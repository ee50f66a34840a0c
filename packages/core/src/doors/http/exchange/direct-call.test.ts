import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenDoor, openTestDoor } from '../../../testing/http/open-door.ts';
import { callMessage, post } from '../../../testing/http/raw-http.ts';

let open: OpenDoor;
beforeAll(async () => {
  open = await openTestDoor();
});
afterAll(() => open.close());

const version = (text: string) => ({ 'mcp-protocol-version': text });

async function ask(message: object, headers: Record<string, string> = {}) {
  const answer = await post(open.port, message, { headers });
  const [data] = /^data: (\{.*)$/m.exec(answer.body)?.slice(1) ?? [answer.body];
  return {
    status: answer.status,
    isStream: answer.headers['content-type'] === 'text/event-stream',
    message: JSON.parse(data ?? ''),
  };
}

/** The same call with a field that only the SDK knows. */
function withMeta(message: ReturnType<typeof callMessage>) {
  return { ...message, params: { ...message.params, _meta: { other: 1 } } };
}

describe('a call in its plainest form', () => {
  it.each([
    ['an answer', callMessage(1, 'echo', { text: 'hello' })],
    ['an id that is a text', callMessage('a', 'echo', { text: 'hello' })],
    ['arguments that the tool refuses', callMessage(2, 'echo', { wrong: true })],
    ['no arguments', callMessage(3, 'echo')],
    ['a tool that does not exist', callMessage(4, 'nothing')],
  ])('is answered as the SDK answers it: %s', async (_what, message) => {
    const [direct, bySdk] = [await ask(message, version('2025-11-25')), await ask(withMeta(message), version('2025-11-25'))];
    expect(direct).toEqual({ ...bySdk, isStream: false });
    expect(bySdk.isStream).toBe(true);
  });

  it.each([
    ['a version that is not known', version('2024-01-01'), 400],
    ['an Accept that has no stream', { accept: 'application/json' }, 406],
    ['an Accept that has no JSON', { accept: 'text/event-stream' }, 406],
  ])('is refused by the SDK with %s', async (_what, headers, status) => {
    expect(await ask(callMessage(5, 'echo', { text: 'hello' }), headers)).toMatchObject({ status, message: { error: {} } });
  });

  it('is a stream when the client wants reports of progress', async () => {
    const { params, ...message } = callMessage(6, 'echo', { text: 'hello' });
    expect(await ask({ ...message, params: { ...params, _meta: { progressToken: 1 } } })).toMatchObject({ isStream: true });
  });
});
