import { approvalsPanel } from './approvals/approvals-state.ts';
import { connectionsPanel } from './connections/connections-state.ts';
import { healthPanel } from './health/health-state.ts';
import { livePanel } from './live/live-state.ts';
import type { Panel } from './panel.ts';
import { sqlPanels } from './query/query-state.ts';

/** Every panel, in the order of the navigation. */
export const panels: readonly Panel[] = [livePanel, approvalsPanel, ...sqlPanels, healthPanel, connectionsPanel];
