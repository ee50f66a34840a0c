import { conformanceRevisions, readExpectedFailures, runConformance } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptAll } from '../../src/doors/http/authenticate.ts';
import { createHostRules } from '../../src/doors/http/host-check.ts';
import { HttpDoor } from '../../src/doors/http/http-door.ts';
import { defaultLimits } from '../../src/doors/http/limits/limits.ts';
import { createFixtureServer, fixtureDefinitions } from './fixture-server.ts';

/** The suite of the protocol over our HTTP door, with everything behind it that the suite looks for. */
describe('the HTTP door with the tools of the conformance suite', () => {
  const door = new HttpDoor({
    openView: () => ({ connect: createFixtureServer, definitions: [...fixtureDefinitions] }),
    limits: defaultLimits,
    log: () => undefined,
    authenticate: acceptAll,
    hostRules: createHostRules({ address: '127.0.0.1', allowedHosts: [], allowedOrigins: [], isBehindProxy: false }),
    root: '/project',
  });
  let url = '';
  beforeAll(async () => {
    url = `http://127.0.0.1:${await door.listen(0, '127.0.0.1')}/mcp`;
  });
  afterAll(() => door.close());

  it.each(conformanceRevisions)('meets what the revision %s requires, but for what is listed with a reason', async (revision) => {
    const expectedFailures = await readExpectedFailures(new URL(`./expected-failures-${revision}.txt`, import.meta.url));
    const report = await runConformance({ url, revision, expectedFailures });
    expect(report).toContain('tools-call-simple-text');
  });
});
