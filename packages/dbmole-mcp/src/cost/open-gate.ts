import type { GuardedCall } from '../backend/guarded-read.ts';
import type { Connection } from '../connection/schema.ts';
import { CostGate, type GateParts } from './cost-gate.ts';
import { readCostLimits } from './cost-limits.ts';

/** Undefined where no policy limits what a read may cost. */
export function openGate(config: Connection, parts: Omit<GateParts, 'limits'>): CostGate | undefined {
  const limits = readCostLimits(config);
  return limits.length === 0 ? undefined : new CostGate({ ...parts, limits });
}

/** The call with the gate in front of its reads. */
export function withGate(gate: CostGate | undefined, call: GuardedCall): GuardedCall {
  if (gate === undefined) return call;
  const { options, runOver } = call;
  const { signal, database } = options;
  return { ...call, admit: (session, request) => gate.admit({ session, request, database, signal, runOver }) };
}
