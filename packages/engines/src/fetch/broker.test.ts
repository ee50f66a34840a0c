import { existsSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { sharedEngine } from '../run/shared-engine.ts';
import { isUnavailable } from '../unavailable.ts';
import { brokerVariable, startBroker } from './broker.ts';

afterEach(() => vi.unstubAllEnvs());

// Engines from the environment start nothing, so what passes between the processes can be seen without one.
it('hands out addresses, and stops with its run', async () => {
  const broker = await startBroker();
  vi.stubEnv(brokerVariable, broker.path);
  vi.stubEnv('DBMOLE_TEST_POSTGRES18', 'postgres://me:pw@db.example:6000/x');
  const engine = await sharedEngine('postgres18');
  expect(engine).toMatchObject({ id: 'postgres18', source: 'env', host: 'db.example', port: 6000, user: 'me', password: 'pw' });
  // The answer is kept: it was the broker that read the variable.
  vi.stubEnv('DBMOLE_TEST_POSTGRES18', 'postgres://me:pw@other.example/');
  expect((await sharedEngine('postgres18')).host).toBe('db.example');
  await engine.stop();
  await broker.stop();
  expect(existsSync(broker.path)).toBe(false);
  await expect(sharedEngine('postgres18')).rejects.toThrow(/does not answer/);
});

it('passes on why an engine is not there', async () => {
  const broker = await startBroker();
  vi.stubEnv(brokerVariable, broker.path);
  vi.stubEnv('DBMOLE_CACHE', '/nonexistent');
  vi.stubEnv('DBMOLE_CONTAINERS', 'off');
  vi.stubEnv('PATH', '/nonexistent');
  const error = await sharedEngine('postgres18').catch((caught: unknown) => caught);
  expect(isUnavailable(error)).toBe(true);
  expect(error).toMatchObject({ message: expect.stringContaining('npm is not on the PATH'), hint: 'Install npm.' });
  vi.stubEnv('DBMOLE_TEST_MYSQL80', 'nonsense');
  const broken = await sharedEngine('mysql80').catch((caught: unknown) => caught);
  expect(isUnavailable(broken)).toBe(false);
  expect(broken).toMatchObject({ message: expect.stringContaining('not an address') });
  await broker.stop();
});
