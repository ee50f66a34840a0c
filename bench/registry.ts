import type { Line } from './line.ts';
import { sqlLines } from './lines/sql.ts';
import { listLines, memoryLines, startLines } from './lines/start.ts';

export const lines: readonly Line[] = [...startLines, ...memoryLines, ...listLines, ...sqlLines];
