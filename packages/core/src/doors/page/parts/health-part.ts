import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { ToolReply } from '../../../answer/respond.ts';
import { type CheckLine, readDetails, readOverview } from '../../../diagnosis/read-report.ts';
import { defineAction, type PagePart } from '../../../program/page/page-part.ts';

/** One run of all checks on a connection. */
interface HealthRun {
  id: string;
  connection: string;
  /** Milliseconds since 1970. */
  at: number;
  milliseconds: number;
  /** Worst first; empty for an answer that is not an overview. */
  checks: readonly CheckLine[];
  /** The answer where it is not an overview, such as an error; else empty. */
  text: string;
}

/** A person looks at the last few; each has at most some kilobytes. */
const maxRuns = 50;

/** What is wrong with a database, and what was before, since the server started. Kept in memory alone. */
export function createHealthPart(): PagePart {
  const runs: HealthRun[] = [];
  const listeners = new Set<(event: object) => void>();
  const keep = (run: HealthRun) => {
    runs.push(run);
    if (runs.length > maxRuns) runs.shift();
    for (const send of listeners) send({ runs: [run] });
  };
  return {
    id: 'health',
    actions: {
      overview: defineAction({
        input: () => z.strictObject({ connection: z.string() }),
        async run({ connection }, { call }) {
          const at = Date.now();
          const reply = await call('diagnose', { connection });
          const text = readText(reply);
          const checks = reply.isError ? undefined : readOverview(text);
          const shown = checks === undefined ? { checks: [], text } : { checks, text: '' };
          const run = { id: randomUUID(), connection, at, milliseconds: Date.now() - at, ...shown };
          keep(run);
          return run;
        },
      }),
      details: defineAction({
        input: () => z.strictObject({ connection: z.string(), check: z.string(), offset: z.int().min(0) }),
        async run(args, { call }) {
          const reply = await call('diagnose', args);
          const text = readText(reply);
          return reply.isError ? { text } : readDetails(text);
        },
      }),
    },
    watch(send) {
      send({ runs, isWhole: true });
      listeners.add(send);
      return () => {
        listeners.delete(send);
      };
    },
  };
}

function readText({ content }: ToolReply): string {
  return content.map(({ text }) => text).join('\n');
}
