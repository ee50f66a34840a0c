import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BaseConnection } from '../connection.ts';
import type { Backend } from '../manager/backend.ts';
import type { Leaf } from '../program/app.ts';
import { openLeaf } from './open-leaf.ts';

export interface DefinedTools<C extends BaseConnection, B extends Backend> {
  leaf: Leaf<C, B>;
  /** One file for each tool. */
  folder: string;
  /** Of all of them together, without what the protocol puts around them. */
  budgetBytes: number;
}

/** What clients see of each tool, one file for each, so that a change of the contract is seen in review. */
export function describeToolDefinitions<C extends BaseConnection, B extends Backend>(options: DefinedTools<C, B>): void {
  const { leaf, folder, budgetBytes } = options;
  describe(`the definitions of the tools of ${leaf.name}`, () => {
    let definitions: readonly { name: string }[];
    beforeAll(async () => {
      const { client, close } = await openLeaf(leaf, {});
      ({ tools: definitions } = await client.listTools());
      await close();
      if (process.env.UPDATE_TOOL_DEFINITIONS === '1') update();
    });

    const fileOf = (name: string) => join(folder, `${name}.json`);

    function update(): void {
      mkdirSync(folder, { recursive: true });
      for (const one of definitions) writeFileSync(fileOf(one.name), format(one));
    }

    it('are those in test/tool-definitions; UPDATE_TOOL_DEFINITIONS=1 rewrites them', () => {
      const files = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
      expect(files.sort()).toEqual(definitions.map(({ name }) => name).sort());
      for (const one of definitions) expect(format(one)).toBe(readFileSync(fileOf(one.name), 'utf8'));
    });

    it(`are at most ${budgetBytes} bytes together`, () => {
      expect(Buffer.byteLength(JSON.stringify(definitions))).toBeLessThanOrEqual(budgetBytes);
    });
  });
}

function format(definition: unknown): string {
  return `${JSON.stringify(definition, null, 2)}\n`;
}
