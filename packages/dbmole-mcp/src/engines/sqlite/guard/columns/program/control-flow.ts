import type { Instruction, Program } from './instruction.ts';

/** Instructions that go to P2 or on to the next one. */
const branches: ReadonlySet<string> = new Set(
  `Eq Ne Lt Le Gt Ge ElseEq Once If IfNot IsNull IsType NotNull IfNullRow MustBeInt SequenceTest SeekLT SeekLE SeekGE SeekGT SeekScan IfNotOpen
  IfNoHope NoConflict NotFound Found SeekRowid NotExists SorterCompare Last IfSizeBetween SorterSort Sort Rewind IfEmpty SorterNext Prev
  Next IdxLE IdxGT IdxLT IdxGE IFindKey RowSetRead RowSetTest Program FkIfZero IfPos IfNotZero DecrJumpZero IncrVacuum VFilter VNext
  Filter Init`.split(/\s+/),
);
/** Some of these have no place to go to, which is written as 0. */
const mayLackTarget: ReadonlySet<string> = new Set(
  'MustBeInt SeekLT SeekLE SeekGE SeekGT SeekRowid Last Rewind Program Init'.split(' '),
);
const ends: ReadonlySet<string> = new Set(['Halt']);

/** Where the flow of a program goes from each instruction. It may name places that the program never reaches from there. */
export class ControlFlow {
  readonly program: Program;
  readonly successors: readonly (readonly number[])[];
  /** The same without the ways into subroutines, which return, and into other coroutines. */
  readonly #inside: readonly (readonly number[])[];
  #ends: readonly number[] | undefined;

  constructor(program: Program) {
    this.program = program;
    const { returns, resumes } = findResumes(program);
    this.successors = program.map((one, at) => {
      const { op, p1, p2, p3 } = one;
      if (op === 'Return') return [...(returns.get(p1) ?? []), ...(p3 === 1 ? [at + 1] : [])];
      if (op === 'Gosub') return [p2];
      return op === 'Yield' || op === 'EndCoroutine' ? (resumes.get(p1) ?? []) : step(one, at);
    });
    this.#inside = program.map((one, at) => {
      const { op, p2 } = one;
      if (op === 'Return' || op === 'EndCoroutine') return [];
      if (op === 'Gosub') return [at + 1];
      return op === 'Yield' ? listYield(at, p2) : step(one, at);
    });
  }

  /**
   * The instructions that run or not as a branch decides: all between it and the place where its ways meet. Undefined if its ways do not
   * meet before the program ends, or if it is a condition on rows.
   */
  findChosen(branch: number): ReadonlySet<number> | undefined {
    const meeting = this.#meetings[branch] ?? this.program.length;
    const chosen = new Set<number>();
    const waiting = [...(this.#inside[branch] ?? [])];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (at === meeting || chosen.has(at)) continue;
      // A way that leads back to the branch is that to the next row.
      if (at === branch) return undefined;
      chosen.add(at);
      const { op, p2 } = this.program[at] ?? { op: 'Halt', p2: 0 };
      if (op === 'Gosub') for (const inner of this.#readSubroutine(p2)) chosen.add(inner);
      waiting.push(...(this.#inside[at] ?? []));
    }
    return chosen;
  }

  #readSubroutine(from: number): ReadonlySet<number> {
    const found = new Set<number>();
    const waiting = [from];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (found.has(at) || at >= this.program.length) continue;
      found.add(at);
      waiting.push(...(this.#inside[at] ?? []));
      const { op, p2 } = this.program[at] ?? { op: '', p2: 0 };
      if (op === 'Gosub') waiting.push(p2);
    }
    return found;
  }

  get #meetings(): readonly number[] {
    this.#ends ??= findMeetings(this.#inside);
    return this.#ends;
  }
}

/** Where subroutines return to, and coroutines go on, by the register that has the place. */
function findResumes(program: Program) {
  const returns = new Map<number, number[]>();
  const resumes = new Map<number, number[]>();
  for (const [at, { op, p1, p2, p3 }] of program.entries()) {
    if (op === 'Gosub') add(returns, p1, [at + 1]);
    if (op === 'InitCoroutine') add(resumes, p1, [p3]);
    if (op === 'Yield') add(resumes, p1, listYield(at, p2));
  }
  return { returns, resumes };
}

function listYield(at: number, target: number): number[] {
  return target > 0 ? [at + 1, target] : [at + 1];
}

function step({ op, p1, p2, p3 }: Instruction, at: number): number[] {
  if (ends.has(op)) return [];
  if (op === 'Goto') return [p2];
  if (op === 'InitCoroutine') return [p2 > 0 ? p2 : at + 1, p3];
  if (op === 'Jump') return [...new Set([p1, p2, p3])];
  if (!branches.has(op)) return [at + 1];
  if (p2 === 0 && mayLackTarget.has(op)) return [at + 1];
  return op === 'Init' ? [p2] : [at + 1, p2];
}

function add(map: Map<number, number[]>, key: number, values: readonly number[]): void {
  map.set(key, [...(map.get(key) ?? []), ...values]);
}

/**
 * For each instruction the first one that every way from it passes: its immediate postdominator, found as Cooper, Harvey and Kennedy do.
 * The end of the program has the number behind the last instruction.
 */
function findMeetings(successors: readonly (readonly number[])[]): readonly number[] {
  const end = successors.length;
  const order = orderFromEnd(successors).filter((at) => at !== end);
  const rank = new Map(order.map((at, i) => [at, i + 1]));
  const meetings: (number | undefined)[] = new Array(end + 1).fill(undefined);
  meetings[end] = end;
  const getRank = (at: number) => rank.get(at) ?? 0;
  const rise = (from: number, to: number) => {
    let at = from;
    while (getRank(at) > getRank(to)) at = meetings[at] ?? end;
    return at;
  };
  const join = (one: number, other: number): number => {
    let [a, b] = [one, other];
    while (a !== b) [a, b] = getRank(a) > getRank(b) ? [rise(a, b), b] : [a, rise(b, a)];
    return a;
  };
  const update = (at: number): boolean => {
    const next = successors[at] ?? [];
    const [first, ...rest] = (next.length === 0 ? [end] : next).filter((one) => meetings[one] !== undefined);
    const found = first === undefined ? undefined : rest.reduce(join, first);
    if (found === undefined || meetings[at] === found) return false;
    meetings[at] = found;
    return true;
  };
  for (let isChanged = true; isChanged; ) isChanged = order.filter(update).length > 0;
  return meetings.map((found) => found ?? end);
}

/** The instructions that lead to the end, each behind one that it leads to, as far as loops allow. */
function orderFromEnd(successors: readonly (readonly number[])[]): readonly number[] {
  const end = successors.length;
  const predecessors: number[][] = Array.from({ length: end + 1 }, () => []);
  for (const [at, next] of successors.entries()) for (const one of next.length === 0 ? [end] : next) predecessors[one]?.push(at);
  const behind: number[] = [];
  const seen = new Set([end]);
  const path: { at: number; next: number }[] = [{ at: end, next: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const one = predecessors[top.at]?.[top.next];
    top.next += 1;
    if (one === undefined) {
      behind.push(top.at);
      path.pop();
    } else if (!seen.has(one)) {
      seen.add(one);
      path.push({ at: one, next: 0 });
    }
  }
  return behind.toReversed();
}
