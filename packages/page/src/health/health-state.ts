import { definePanel } from '../panel.ts';

/** One line of an overview. */
export interface CheckLine {
  check: string;
  state: 'high' | 'medium' | 'low' | 'failed' | 'unavailable' | 'ok';
  text: string;
}

/** One run of all checks on a connection. Texts are safe to show, as text. */
export interface HealthRun {
  id: string;
  connection: string;
  at: number;
  milliseconds: number;
  /** Worst first; empty where the answer is in `text`. */
  checks: readonly CheckLine[];
  text: string;
}

/** The oldest first. */
export type HealthState = readonly HealthRun[];

interface HealthEvent {
  runs: readonly HealthRun[];
  isWhole?: boolean;
}

/** The number that the server keeps. */
const maxRuns = 50;

export const healthPanel = definePanel<HealthState>({
  id: 'health',
  title: 'Health',
  load: async () => (await import('./health-panel.tsx')).HealthPanel,
  reduce(state = [], event) {
    // The part of the server of this id sends nothing else.
    const { runs, isWhole = false } = event as HealthEvent;
    return [...(isWhole ? [] : state), ...runs].slice(-maxRuns);
  },
});
