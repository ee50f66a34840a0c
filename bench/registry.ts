import type { Line } from './line.ts';
import { callLines } from './lines/calls.ts';
import { doorLines } from './lines/doors.ts';
import { esLines } from './lines/es.ts';
import { guardLines } from './lines/guard.ts';
import { hubLines } from './lines/hub.ts';
import { policyLines } from './lines/policy.ts';
import { savedLines } from './lines/saved.ts';
import { sqlLines } from './lines/sql.ts';
import { sqliteLines } from './lines/sqlite.ts';
import { listLines, memoryLines, startLines } from './lines/start.ts';
import { tunnelLines } from './lines/tunnel.ts';

export const lines: readonly Line[] = [
  ...startLines,
  ...memoryLines,
  ...listLines,
  ...sqlLines,
  ...sqliteLines,
  ...guardLines,
  ...tunnelLines,
  ...callLines,
  ...doorLines,
  ...hubLines,
  ...savedLines,
  ...policyLines,
  ...esLines,
];
