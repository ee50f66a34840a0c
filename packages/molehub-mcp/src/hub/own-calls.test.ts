import { expect, it } from 'vitest';
import * as z from 'zod';
import { ownInputs } from './own-calls.ts';
import { restartTool, searchTools, statusTool } from './own-tools.ts';

it('checks the arguments that the definitions show', () => {
  for (const { name, inputSchema } of [statusTool, restartTool, ...searchTools]) {
    const schema: z.ZodType | undefined = new Map<string, z.ZodType>(Object.entries(ownInputs)).get(name);
    const { properties, required } = z.toJSONSchema(schema ?? z.never(), { io: 'input' });
    expect(Object.keys(Object(inputSchema.properties))).toEqual(Object.keys(properties ?? {}));
    expect(inputSchema.required).toEqual(required);
  }
});
