import { definePanel } from '../panel.ts';

/** A question of a call that is held until it is answered. */
export interface WaitingQuestion {
  id: string;
  tool: string;
  client: string;
  message: string;
  at: number;
  expiresAt: number;
}

/** A call that was refused until a person confirms it; its client does not wait. */
export interface StoredCall {
  id: string;
  tool: string;
  connection: string;
  summary: string;
  at: number;
  expiresAt: number;
  elsewhere: string;
}

export interface SettledQuestion extends WaitingQuestion {
  outcome: 'approved' | 'declined' | 'expired' | 'withdrawn' | 'left';
  settledAt: number;
}

export interface ApprovalsState {
  waiting: readonly WaitingQuestion[];
  stored: readonly StoredCall[];
  settled: readonly SettledQuestion[];
}

export const approvalsPanel = definePanel<ApprovalsState>({
  id: 'approvals',
  title: 'Approvals',
  load: async () => (await import('./approvals-panel.tsx')).ApprovalsPanel,
  // The part of the server of this id sends nothing else.
  reduce: (_state, event) => event as ApprovalsState,
  countWaiting: (state) => (state === undefined ? 0 : state.waiting.length + state.stored.length),
});
