import type { Fields } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { ServerConnection } from '../server/connection.ts';
import { RpcError } from '../server/direct-requests.ts';
import { listOffers } from './list-offers.ts';

type Answers = Readonly<Record<string, (params: Fields) => Fields>>;

const tool = { name: 'one', inputSchema: { type: 'object' } };
const unknown = new RpcError(-32_601, 'Method not found');

function serverWith(capabilities: Fields, answers: Answers): ServerConnection {
  return {
    pid: undefined,
    identity: { name: 'fake', version: '1', era: 'legacy', instructions: undefined },
    capabilities,
    request: async (method, params) => {
      const answer = answers[method];
      if (answer === undefined) throw unknown;
      return answer(params);
    },
    end: async () => undefined,
    kill: () => undefined,
  };
}

const list = (capabilities: Fields, answers: Answers) =>
  listOffers(serverWith(capabilities, answers), new AbortController().signal);

describe('what a server offers', () => {
  it.each([
    ['are nested too deeply', { ...tool, inputSchema: JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`) }],
    ['have more than 2097152 characters', { ...tool, description: 'x'.repeat(3_000_000) }],
  ])('cannot be tools that %s', async (why, one) => {
    const limit = { code: 'E_LIMIT', message: `its tools ${why}` };
    await expect(list({}, { 'tools/list': () => ({ tools: [one] }) })).rejects.toMatchObject(limit);
  });

  it('may be prompts alone', async () => {
    const { offers, problem } = await list({ prompts: {} }, { 'prompts/list': () => ({ prompts: [{ name: 'greet' }] }) });
    expect(offers).toEqual({ tools: [], prompts: [{ name: 'greet' }], resources: [], templates: [] });
    expect(problem).toBeUndefined();
  });

  it('may be tools that it did not announce, and is an error where it announced them', async () => {
    expect((await list({}, { 'tools/list': () => ({ tools: [tool] }) })).offers.tools).toEqual([tool]);
    await expect(list({ tools: {} }, {})).rejects.toBe(unknown);
  });

  it('keeps its tools when another list fails, which is reported', async () => {
    const answers: Answers = {
      'tools/list': () => ({ tools: [tool] }),
      'resources/list': () => {
        throw new RpcError(-32_000, 'the disk is gone');
      },
    };
    const { offers, problem } = await list({ tools: {}, resources: {} }, answers);
    expect(offers).toMatchObject({ tools: [tool], resources: [], templates: [] });
    expect(problem).toBe('its resources could not be listed: the disk is gone');
  });

  it('is read page by page, without what has no usable name, and has an end', async () => {
    const page = ({ cursor = '0' }: Fields) => {
      const at = Number(cursor);
      const more = at < 3 ? { nextCursor: String(at + 1) } : {};
      return {
        tools: [{ ...tool, name: `t${at}` }, { ...tool, name: '' }, { ...tool, name: 'a\nb' }, { name: 'bare' }, 7],
        ...more,
      };
    };
    const { offers } = await list({ tools: {} }, { 'tools/list': page });
    expect(offers.tools.map(({ name }) => name)).toEqual(['t0', 't1', 't2', 't3']);
    const many = Array.from({ length: 2_001 }, (_, i) => ({ ...tool, name: `t${i}` }));
    await expect(list({ tools: {} }, { 'tools/list': () => ({ tools: many }) })).rejects.toThrow('more than 2000 tools');
    let asked = 0;
    const endless = () => ({ tools: [], nextCursor: String(++asked) });
    await expect(list({ tools: {} }, { 'tools/list': endless })).rejects.toThrow('more than 2000 tools');
    expect(asked).toBe(100);
  });
});
