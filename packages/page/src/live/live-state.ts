import { definePanel } from '../panel.ts';

/** A call as the server describes it. Texts are safe to show, as text. */
export interface LiveCall {
  id: string;
  at: number;
  state: 'running' | 'asked' | 'ok' | 'refused' | 'error' | 'cancelled';
  client: string;
  door: string;
  principal?: string;
  connection?: string;
  tool: string;
  text: string;
  code?: string;
  rows?: number;
  changed?: number;
  bytes?: number;
  milliseconds?: number;
  confirmedBy?: string;
}

/** The oldest first. */
export type LiveState = ReadonlyMap<string, LiveCall>;

interface LiveEvent {
  calls: readonly LiveCall[];
  gone?: readonly string[];
  isWhole?: boolean;
}

export const livePanel = definePanel<LiveState>({
  id: 'live',
  title: 'Live',
  load: async () => (await import('./live-panel.tsx')).LivePanel,
  reduce(state, event) {
    // The part of the server of this id sends nothing else.
    const { calls, gone = [], isWhole = false } = event as LiveEvent;
    const next = new Map(isWhole ? [] : state);
    for (const id of gone) next.delete(id);
    for (const call of calls) next.set(call.id, call);
    return next;
  },
});
