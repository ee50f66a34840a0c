import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BaseConnection } from '../../connection.ts';
import type { Backend } from '../../manager/backend.ts';
import type { ServerDefinition } from '../../program/app.ts';
import { openProgram } from '../open-program.ts';

export interface DefinedTools<C extends BaseConnection, B extends Backend> {
  definition: ServerDefinition<C, B>;
  /** One file for each tool. */
  folder: string;
  /** The size of all definitions, without the protocol's envelope. */
  budgetBytes: number;
}

/** What clients see of each tool, one file for each, so that a change of the contract is seen in review. */
export function describeToolDefinitions<C extends BaseConnection, B extends Backend>(options: DefinedTools<C, B>): void {
  const { definition, folder, budgetBytes } = options;
  describe(`the definitions of the tools of ${definition.program.name}`, () => {
    let definitions: readonly { name: string }[];
    beforeAll(async () => {
      const { client, close } = await openProgram(definition, {});
      ({ tools: definitions } = await client.listTools());
      await close();
      if (process.env.UPDATE_TOOL_DEFINITIONS === '1') update();
    });

    const getFile = (name: string) => join(folder, `${name}.json`);

    function update(): void {
      mkdirSync(folder, { recursive: true });
      for (const one of definitions) writeFileSync(getFile(one.name), format(one));
    }

    it('are those in test/tool-definitions; UPDATE_TOOL_DEFINITIONS=1 rewrites them', () => {
      const files = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
      expect(files.sort()).toEqual(definitions.map(({ name }) => name).sort());
      for (const one of definitions) expect(format(one)).toBe(readFileSync(getFile(one.name), 'utf8'));
    });

    it('have neither lists of types nor empty schemas, which some clients reject', () => {
      expect(JSON.stringify(definitions)).not.toMatch(/"type":\[|"items":\{\}/);
    });

    it('are at most 5000 bytes for those that only read, and all of those do', async () => {
      const { client, close } = await openProgram(definition, { [`${definition.program.app.toUpperCase()}_TOOLS`]: 'read' });
      const { tools } = await client.listTools();
      await close();
      expect(tools.length).toBeGreaterThan(3);
      expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
      expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(5_000);
    });

    it(`are at most ${budgetBytes} bytes together`, () => {
      expect(Buffer.byteLength(JSON.stringify(definitions))).toBeLessThanOrEqual(budgetBytes);
    });
  });
}

function format(definition: unknown): string {
  return `${JSON.stringify(definition, null, 2)}\n`;
}
