import * as z from 'zod';
import { findTable } from '../../../answer/respond.ts';
import { defineAction, type PagePart } from '../../../program/page/page-part.ts';
import type { ToolServer } from '../../../tools/tool-server.ts';

/** The tools themselves, for every panel: what the server offers, and how to call one. */
export function createToolsPart(tools: Pick<ToolServer, 'definitions'>): PagePart {
  return {
    id: 'tools',
    actions: {
      list: defineAction({
        input: () => z.strictObject({}),
        run: async () => ({ tools: tools.definitions.map(({ name, title, annotations }) => ({ name, title, annotations })) }),
      }),
      call: defineAction({
        input: () => z.strictObject({ tool: z.string(), args: z.record(z.string(), z.unknown()) }),
        async run({ tool, args }, { call }) {
          const reply = await call(tool, args);
          const { content, structuredContent: structured = null, isError = false } = reply;
          return { text: content.map(({ text }) => text).join('\n'), isError, structured, table: findTable(reply) ?? null };
        },
      }),
    },
  };
}
