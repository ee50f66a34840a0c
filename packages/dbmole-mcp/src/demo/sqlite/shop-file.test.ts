import { existsSync, readdirSync } from 'node:fs';
import { failureOf, useTempFolder } from '@dbmole/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createShopFile } from './shop-file.ts';

const folder = useTempFolder();
const { TMPDIR, DBMOLE_NODE } = process.env;

afterEach(() => {
  for (const [name, value] of Object.entries({ TMPDIR, DBMOLE_NODE }))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

/** The error of a shop that cannot be made, and what is left of it. */
async function fail(env: Record<string, string>) {
  Object.assign(process.env, env);
  const shop = createShopFile(() => undefined);
  const failure = await failureOf(shop.open(new AbortController().signal));
  await shop.dispose();
  return failure;
}

describe.skipIf(process.platform === 'win32')('the file of the sample shop', () => {
  it('names the folder that it cannot be made in', async () => {
    expect(await fail({ TMPDIR: folder.at('gone'), DBMOLE_NODE: process.execPath })).toMatchObject({
      code: 'E_DEMO_CACHE',
      message: expect.stringContaining(folder.at('gone')),
    });
  });

  it.each(['/not/there/node', '/bin/false'])('is removed, and says why, where %s is the Node', async (node) => {
    expect(await fail({ TMPDIR: folder.path, DBMOLE_NODE: node })).toMatchObject({ code: 'E_DEMO_ENGINE' });
    expect(existsSync(folder.path) ? readdirSync(folder.path) : []).toEqual([]);
  });
});
