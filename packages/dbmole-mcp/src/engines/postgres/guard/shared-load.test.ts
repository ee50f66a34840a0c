import { describe, expect, it } from 'vitest';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { SharedLoad } from './shared-load.ts';

/** A load that is answered by hand; each call of the server is one of `asked`. */
function createLoad() {
  const asked: { answer(value: string): void; fail(error: Error): void }[] = [];
  const run: CatalogQuestion = () =>
    new Promise((resolve, reject) => asked.push({ answer: (value) => resolve([[value]]), fail: reject }));
  const load = new SharedLoad(async (question: CatalogQuestion) => (await question('?'))[0]?.[0]);
  return { asked, get: () => load.get(run), forget: () => load.forget() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('SharedLoad', () => {
  it('asks once for all that come', async () => {
    const { asked, get } = createLoad();
    const all = Promise.all([get(), get(), get()]);
    await turn();
    expect(asked).toHaveLength(1);
    asked[0]?.answer('a');
    expect(await all).toEqual(['a', 'a', 'a']);
    expect(await get()).toBe('a');
    expect(asked).toHaveLength(1);
  });

  it('fails for the one who asked, and lets the next of those who waited ask', async () => {
    const { asked, get } = createLoad();
    const [first, ...others] = [get(), get(), get()];
    await turn();
    asked[0]?.fail(new Error('cancelled'));
    await expect(first).rejects.toThrow('cancelled');
    await turn();
    expect(asked).toHaveLength(2);
    asked[1]?.answer('b');
    expect(await Promise.all(others)).toEqual(['b', 'b']);
  });

  it('is not poisoned by a failure', async () => {
    const { asked, get } = createLoad();
    const first = get();
    asked[0]?.fail(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    const second = get();
    asked[1]?.answer('c');
    expect(await second).toBe('c');
  });

  it('asks again after it was told to forget, even while it is asking', async () => {
    const { asked, get, forget } = createLoad();
    const before = get();
    forget();
    const after = get();
    await turn();
    expect(asked).toHaveLength(2);
    asked[1]?.answer('new');
    asked[0]?.answer('old');
    expect(await before).toBe('old');
    expect(await after).toBe('new');
    expect(await get()).toBe('new');
  });
});
