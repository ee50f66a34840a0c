import { HttpProcess } from '@dbmole/core/testing';
import { conformanceRevisions, readExpectedFailures, runConformance } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from '../bin.ts';

/** The suite of the protocol against the server as a user starts it. The suite cannot send a token. */
describe('serve under the conformance suite', () => {
  let server: HttpProcess;
  beforeAll(async () => {
    server = await new HttpProcess({ file: bin, args: ['--no-token'] }).listening();
  });
  afterAll(() => server.stop());

  it.each(conformanceRevisions)('fails only at what it does not offer, by revision %s', async (revision) => {
    const expectedFailures = await readExpectedFailures(new URL(`./not-offered-${revision}.txt`, import.meta.url));
    const report = await runConformance({ url: server.url, revision, expectedFailures });
    expect(report).toMatch(/✓ tools-list: [34] passed, 0 failed/);
  });
});
