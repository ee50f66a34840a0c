import * as z from 'zod';
import { defineAction, type PagePart } from '../../../program/page/page-part.ts';
import type { LiveCalls } from '../../../recording/live/live-calls.ts';

/** Many changes within this time make one event, in milliseconds. */
const gatherMs = 50;

const chosen = () => z.strictObject({ id: z.string() });

/** Every call of every client, as it happens. */
export function createLivePart(live: LiveCalls): PagePart {
  return {
    id: 'live',
    actions: {
      show: defineAction({ input: chosen, run: async ({ id }) => ({ call: live.show(id) ?? null }) }),
      cancel: defineAction({ input: chosen, run: async ({ id }) => ({ isCancelled: live.cancel(id) }) }),
    },
    watch(send) {
      send({ calls: live.list(), isWhole: true });
      const changed = new Set<string>();
      let timer: NodeJS.Timeout | undefined;
      const flush = () => {
        timer = undefined;
        const ids = [...changed];
        changed.clear();
        send({ calls: ids.flatMap((id) => live.find(id) ?? []), gone: ids.filter((id) => live.find(id) === undefined) });
      };
      const stop = live.watch((id) => {
        changed.add(id);
        timer ??= setTimeout(flush, gatherMs);
      });
      return () => {
        stop();
        clearTimeout(timer);
      };
    },
  };
}
