import { definePanel } from '../panel.ts';

export const connectionsPanel = definePanel({
  id: 'connections',
  title: 'Connections',
  load: async () => (await import('./connections-panel.tsx')).ConnectionsPanel,
});
