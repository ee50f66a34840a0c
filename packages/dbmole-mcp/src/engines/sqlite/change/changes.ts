import type { ChangeReader } from '../../../approval/change.ts';
import { commitsItself } from '../session/writable.ts';
import { meter } from './meter.ts';
import { readChange } from './read-change.ts';

export const changes: ChangeReader = { read: readChange, meter, commitsItself };
