import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestClient } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTools } from './open-tools.ts';

const folder = fileURLToPath(new URL('./tool-definitions/', import.meta.url));
/** What a client gets is 6,500 bytes at most, with what the protocol puts around the tools. */
const budgetBytes = 6_400;

/** What clients see of each tool, one file for each, so that a change of the contract is seen in review. */
describe('the definitions of the tools', () => {
  let tools: TestClient;
  let definitions: readonly { name: string }[];
  beforeAll(async () => {
    // None of this reaches for the cluster.
    tools = await openTools({ scheme: 'http', host: '127.0.0.1', port: 1 });
    ({ tools: definitions } = await tools.client.listTools());
    if (process.env.UPDATE_TOOL_DEFINITIONS === '1') update();
  });
  afterAll(() => tools.close());

  function update(): void {
    mkdirSync(folder, { recursive: true });
    for (const one of definitions) writeFileSync(`${folder}${one.name}.json`, format(one));
  }

  it('are those in test/tool-definitions; UPDATE_TOOL_DEFINITIONS=1 rewrites them', () => {
    const files = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
    expect(files.sort()).toEqual(definitions.map(({ name }) => name).sort());
    for (const one of definitions) expect(format(one)).toBe(readFileSync(`${folder}${one.name}.json`, 'utf8'));
  });

  it(`are at most ${budgetBytes} bytes together`, () => {
    expect(Buffer.byteLength(JSON.stringify(definitions))).toBeLessThanOrEqual(budgetBytes);
  });
});

function format(definition: unknown): string {
  return `${JSON.stringify(definition, null, 2)}\n`;
}
