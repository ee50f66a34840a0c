import { createStore } from '../src/registry/edit/store.ts';

/** A process that adds connections to a store, one change each, and says on stdout which of them it was told are stored. */
const [path = '', prefix = '', count = '0'] = process.argv.slice(2);
const store = createStore({ path, lockWaitMs: 60_000 });
for (let index = 0; index < Number(count); index++) {
  const name = `${prefix}-${index}`;
  await store.change(({ list }) => ({ connections: [...list, { name, pad: 'x'.repeat(500) }] }));
  process.stdout.write(`${name}\n`);
}
