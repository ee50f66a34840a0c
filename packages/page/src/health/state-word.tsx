import type { CheckLine } from './health-state.ts';

const words: Readonly<Record<CheckLine['state'], string>> = {
  high: 'high',
  medium: 'medium',
  low: 'low',
  failed: 'failed',
  unavailable: 'not available',
  ok: 'ok',
};

export function StateWord({ state }: { state: CheckLine['state'] }) {
  return (
    <span class="state severity" data-state={state}>
      {words[state]}
    </span>
  );
}
