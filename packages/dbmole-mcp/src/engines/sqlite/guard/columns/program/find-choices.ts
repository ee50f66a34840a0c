import { deriveTaint, mergeTaints, type Taint } from '../../../../../policy/taint.ts';
import type { ControlFlow } from './control-flow.ts';
import type { Cursors } from './cursors.ts';
import type { Instruction, Program } from './instruction.ts';
import type { Part, Registers } from './value.ts';

/** What a program does with a row. A branch around one of these decides about rows, and not about a value. */
const rowOps: ReadonlySet<string> = new Set(['ResultRow', 'Yield', 'VUpdate', 'Delete']);
const storeOps: ReadonlySet<string> = new Set(['Insert', 'IdxInsert', 'SorterInsert']);
const openOps: ReadonlySet<string> = new Set(['OpenEphemeral', 'SorterOpen', 'OpenAutoindex']);
/** A coroutine that begins within the branch is part of its value. */
const beginOps: ReadonlySet<string> = new Set(['InitCoroutine']);
const stepOps: ReadonlySet<string> = new Set(['AggStep', 'AggInverse']);
const endOps: ReadonlySet<string> = new Set(['AggFinal', 'AggValue']);

/**
 * Instructions that run only as a protected value decides, within an expression such as `CASE` or `IN`: what they compute tells something
 * of the value. Conditions on rows are no such branch.
 */
export function findChoices(
  flow: ControlFlow,
  cursors: Cursors,
  stateAt: (at: number) => Registers | undefined,
): ReadonlyMap<number, Taint> {
  const found = new Map<number, Taint>();
  for (const [at, one] of flow.program.entries()) {
    const state = stateAt(at);
    const taint = state && deriveTaint(readCondition(one, { state, cursors, program: flow.program, at }));
    if (taint === undefined) continue;
    const chosen = flow.findChosen(at);
    if (chosen === undefined || decidesRows(flow.program, chosen)) continue;
    for (const inner of chosen) {
      const merged = mergeTaints(found.get(inner), taint);
      if (merged !== undefined) found.set(inner, merged);
    }
  }
  return found;
}

interface Place {
  state: Registers;
  cursors: Cursors;
  program: Program;
  at: number;
}

/** The taint of what a branch compares. */
function readCondition(one: Instruction, { state, cursors, program, at }: Place): Part {
  const { op, p1, p3, p4 } = one;
  const taint = (register: number) => state.get(register)?.taint;
  const list = (from: number, size: number) => Array.from({ length: size }, (_, i) => taint(from + i));
  if (op === 'Eq' || op === 'Ne' || op === 'Lt' || op === 'Le' || op === 'Gt' || op === 'Ge')
    return mergeTaints(taint(p1), taint(p3));
  if (op === 'If' || op === 'IfNot') return taint(p1);
  if (op === 'ElseEq' || op === 'Jump') return readBefore(program, at, list);
  if (op === 'Found' || op === 'NotFound' || op === 'NoConflict' || op === 'IfNoHope') {
    const size = Number(p4) || 0;
    return mergeTaints(...list(p3, Math.max(1, size)), ...(cursors.isOwn(p1) ? cursors.row(p1) : []));
  }
  return undefined;
}

/** Some branches decide by the comparison in front of them. */
function readBefore(program: Program, at: number, list: (from: number, size: number) => readonly Part[]): Part {
  const { op, p1, p2, p3 } = program[at - 1] ?? { op: '', p1: 0, p2: 0, p3: 0 };
  if (op === 'Compare') return mergeTaints(...list(p1, p3), ...list(p2, p3));
  return mergeTaints(...list(p1, 1), ...list(p3, 1));
}

function decidesRows(program: Program, chosen: ReadonlySet<number>): boolean {
  const inner = [...chosen].flatMap((at) => program[at] ?? []);
  const list = (ops: ReadonlySet<string>, register: 'p1' | 'p3' = 'p1') =>
    new Set(inner.filter(({ op }) => ops.has(op)).map((one) => one[register]));
  const [opened, begun, ended, stepped] = [list(openOps), list(beginOps), list(endOps), list(stepOps, 'p3')];
  return inner.some(
    ({ op, p1, p3 }) =>
      (rowOps.has(op) && !(op === 'Yield' && begun.has(p1))) ||
      (storeOps.has(op) && !opened.has(p1)) ||
      // An aggregate that begins or ends elsewhere is over rows of the whole.
      (stepOps.has(op) && !ended.has(p3)) ||
      (endOps.has(op) && !stepped.has(p1)),
  );
}
