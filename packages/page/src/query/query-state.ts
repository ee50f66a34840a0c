import { definePanel, type Panel } from '../panel.ts';

/** Set by the build: a package whose server speaks no SQL contains no editor. */
declare const PAGE_HAS_SQL: boolean;

export const sqlPanels: readonly Panel[] = PAGE_HAS_SQL
  ? [definePanel({ id: 'query', title: 'Query', load: async () => (await import('./query-panel.tsx')).QueryPanel })]
  : [];
