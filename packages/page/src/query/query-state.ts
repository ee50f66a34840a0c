import { definePanel } from '../panel.ts';

export const queryPanel = definePanel({
  id: 'query',
  title: 'Query',
  load: async () => (await import('./query-panel.tsx')).QueryPanel,
});
