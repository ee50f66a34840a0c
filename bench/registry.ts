import type { Line } from './line.ts';
import { listLines, memoryLines, startLines } from './lines/start.ts';

export const lines: readonly Line[] = [...startLines, ...memoryLines, ...listLines];
