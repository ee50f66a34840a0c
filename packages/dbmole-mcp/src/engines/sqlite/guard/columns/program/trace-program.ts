import { deriveTaint, mergeTaints, type Taint } from '../../../../../policy/taint.ts';
import type { Tree } from '../storage.ts';
import { ControlFlow } from './control-flow.ts';
import { Cursors } from './cursors.ts';
import { findChoices } from './find-choices.ts';
import { type Instruction, type Program, readFunction } from './instruction.ts';
import { binary, constant, isIgnored, unary } from './opcodes.ts';
import { mergeRegisters, mergeValues, type Part, type Registers, toRecord, toValue, type Value } from './value.ts';

export interface TraceOptions {
  trees: ReadonlyMap<number, Tree>;
  /** The taint of a column of the virtual tables that the statement can reach. */
  virtual(column: number): Part;
  /** How many arguments a function has at most, of those that take any number. */
  countArguments(name: string): number;
}

/** A value that a write puts into a table. */
interface Stored {
  /** Undefined for a table that is not known, or new. */
  readonly tree: Tree | undefined;
  /** Undefined for the rowid. */
  readonly column: number | undefined;
  readonly taint: Taint;
}

export interface ProgramFlow {
  /** What flows into each column of the result. Undefined if the statement returns none. */
  readonly results: readonly Part[] | undefined;
  /** All protected columns that are read. */
  readonly read: Part;
  /** Those that are compared, sorted or grouped. */
  readonly compared: Part;
  readonly stored: readonly Stored[];
}

/** The program has an instruction that is not known, or is too large. */
export class UntraceableProgram extends Error {}

const maxSteps = 400_000;
const maxRounds = 50;

/**
 * Follows values through the program that SQLite runs for a statement: from the columns of tables, through registers and the tables that
 * the program makes itself, into its result. Views, aliases and subqueries are resolved by SQLite before, so that none of them matters.
 */
export function tracePrograms(programs: readonly Program[], options: TraceOptions): ProgramFlow {
  return new ProgramTrace(programs, options).run();
}

/** Aggregates and window functions that tell how many rows there are, or where one is among them, and no value. */
const counting: ReadonlySet<string> = new Set([
  'count',
  'row_number',
  'rank',
  'dense_rank',
  'percent_rank',
  'cume_dist',
  'ntile',
]);
const comparisons: ReadonlySet<string> = new Set(['Eq', 'Ne', 'Lt', 'Le', 'Gt', 'Ge']);
/** What keeps the keys of a table apart when it is written. */
const keyChecks: ReadonlySet<string> = new Set(['NoConflict', 'NotExists']);
const seeks: ReadonlySet<string> = new Set(
  'SeekLT SeekLE SeekGE SeekGT IdxLE IdxGT IdxLT IdxGE Found NotFound NoConflict IfNoHope IFindKey'.split(' '),
);

interface TracedProgram {
  flow: ControlFlow;
  cursors: Cursors;
  /** What decides whether an instruction runs. */
  choices: Map<number, Taint>;
}

class ProgramTrace {
  readonly #parts: readonly TracedProgram[];
  readonly #options: TraceOptions;
  /** What triggers get from the statements that run them. */
  readonly #passed: Registers = new Map();
  #results: readonly Part[] | undefined;
  #read: Part;
  #compared: Part;
  #stored: Stored[] = [];
  #isChanged = false;
  #steps = 0;

  constructor(programs: readonly Program[], options: TraceOptions) {
    this.#options = options;
    this.#parts = programs.map((program) => ({
      flow: new ControlFlow(program),
      cursors: new Cursors(program, options.trees, options.virtual),
      choices: new Map(),
    }));
  }

  run(): ProgramFlow {
    for (let round = 0; round < maxRounds; round += 1) {
      this.#isChanged = false;
      this.#stored = [];
      for (const part of this.#parts) this.#follow(part);
      if (!this.#isChanged) return { results: this.#results, read: this.#read, compared: this.#compared, stored: this.#stored };
    }
    throw new UntraceableProgram('it has no end');
  }

  #follow(traced: TracedProgram): void {
    const { flow, cursors, choices } = traced;
    const states: (Registers | undefined)[] = [new Map()];
    const waiting = new Set([0]);
    for (const at of waiting) {
      waiting.delete(at);
      const after = this.#step(traced, at, states[at]);
      for (const next of flow.successors[at] ?? []) {
        const known = states[next];
        if (known === undefined) states[next] = new Map(after);
        if (known === undefined || mergeRegisters(known, after)) waiting.add(next);
      }
    }
    const found = findChoices(flow, cursors, (at) => states[at]);
    for (const [at, taint] of found) {
      const merged = mergeTaints(choices.get(at), taint);
      if (merged === undefined || merged.action === choices.get(at)?.action) continue;
      choices.set(at, merged);
      this.#isChanged = true;
    }
  }

  /** The registers behind the instruction. */
  #step({ flow: { program }, cursors, choices }: TracedProgram, at: number, before: Registers = new Map()): Registers {
    const one = program[at];
    if (one === undefined) throw new UntraceableProgram('it leads out of itself');
    this.#steps += 1 + before.size / 8;
    if (this.#steps > maxSteps) throw new UntraceableProgram('it is too large');
    const frame = new Frame(before, choices.get(at));
    this.#apply(one, frame, { cursors, program });
    return frame.after;
  }

  #apply(one: Instruction, frame: Frame, place: Place): void {
    const { op, p1, p2, p3 } = one;
    const { cursors } = place;
    if (isIgnored(op)) this.#compare(one, frame, place);
    else if (constant.has(op)) frame.set(p2, undefined);
    else if (binary.has(op)) frame.set(p3, frame.derive(p1, p2));
    else if (unary.has(op)) frame.set(p2, frame.derive(p1));
    else if (op in this.#own) this.#own[op]?.(one, frame, place);
    else if (op === 'ResultRow') this.#show(frame.list(p1, p2));
    else if (op === 'Column') frame.set(p3, toValue(this.#note(cursors.column(p1, p2, (register) => frame.get(register)))));
    else throw new UntraceableProgram(`it has the instruction ${op}`);
  }

  /** Instructions that read or write registers in a way of their own. */
  readonly #own: Readonly<Record<string, (one: Instruction, frame: Frame, place: Place) => void>> = {
    Null: ({ p2, p3 }, frame) => frame.clear(p2, Math.max(p2, p3)),
    BeginSubrtn: ({ p2, p3 }, frame) => frame.clear(p2, Math.max(p2, p3)),
    SoftNull: ({ p1 }, frame) => frame.set(p1, undefined),
    Gosub: ({ p1 }, frame) => frame.set(p1, undefined),
    InitCoroutine: ({ p1 }, frame) => frame.set(p1, undefined),
    Move: ({ p1, p2, p3 }, frame) => frame.copy(p1, p2, p3),
    Copy: ({ p1, p2, p3 }, frame) => frame.copy(p1, p2, p3 + 1),
    SCopy: ({ p1, p2 }, frame) => frame.copy(p1, p2, 1),
    IntCopy: ({ p1, p2 }, frame) => frame.copy(p1, p2, 1),
    Cast: ({ p1 }, frame) => frame.set(p1, frame.derive(p1)),
    AddImm: ({ p1 }, frame) => frame.set(p1, frame.derive(p1)),
    MemMax: ({ p1, p2 }, frame) => frame.set(p1, frame.derive(p1, p2)),
    OffsetLimit: ({ p1, p2, p3 }, frame) => frame.set(p2, frame.derive(p1, p3)),
    ZeroOrNull: ({ p1, p2, p3 }, frame) => frame.set(p2, frame.derive(p1, p3)),
    MakeRecord: ({ p1, p2, p3 }, frame) => frame.set(p3, toRecord(frame.list(p1, p2))),
    Function: (one, frame) => this.#call(one, frame),
    PureFunc: (one, frame) => this.#call(one, frame),
    AggStep: (one, frame) => this.#aggregate(one, frame),
    AggInverse: (one, frame) => this.#aggregate(one, frame),
    AggValue: ({ p1, p3 }, frame) => frame.set(p3, frame.derive(p1)),
    AggFinal: ({ p1 }, frame) => frame.set(p1, frame.derive(p1)),
    Rowid: ({ p1, p2 }, frame, { cursors }) => frame.set(p2, toValue(this.#note(cursors.rowid(p1)))),
    IdxRowid: ({ p1, p2 }, frame, { cursors }) => frame.set(p2, toValue(this.#note(cursors.rowid(p1)))),
    VColumn: ({ p1, p2, p3 }, frame, { cursors }) => frame.set(p3, toValue(this.#note(cursors.column(p1, p2, () => undefined)))),
    RowData: ({ p1, p2 }, frame, { cursors }) => frame.set(p2, this.#noteRecord(toRecord(cursors.row(p1)))),
    SorterData: ({ p1, p2 }, frame, { cursors }) => frame.set(p2, toRecord(cursors.row(p1))),
    RowSetAdd: ({ p1, p2 }, frame) => frame.add(p1, frame.taint(p2)),
    RowSetTest: ({ p1, p3 }, frame) => frame.add(p1, frame.taint(p3)),
    RowSetRead: ({ p1, p3 }, frame) => frame.set(p3, toValue(frame.taint(p1))),
    VInitIn: ({ p1, p2 }, frame, { cursors }) => frame.set(p2, toRecord(cursors.row(p1))),
    VFilter: (one, frame, place) => this.#filter(one, frame, place),
    VUpdate: ({ p2, p3 }, frame) => {
      for (const taint of frame.list(p3, p2)) this.#store(undefined, undefined, taint);
    },
    RowCell: ({ p1, p2 }, _frame, place) => this.#insert(p1, { parts: place.cursors.row(p2), rowid: undefined }, place),
    Insert: ({ p1, p2, p3 }, frame, place) => this.#insert(p1, { parts: frame.parts(p2), rowid: frame.taint(p3) }, place),
    IdxInsert: ({ p1, p2 }, frame, place) => this.#insert(p1, { parts: frame.parts(p2), rowid: undefined }, place),
    SorterInsert: ({ p1, p2 }, frame, place) => this.#insert(p1, { parts: frame.parts(p2), rowid: undefined }, place),
    Program: ({ p1 }, frame) => {
      const passed = [...frame.after].flatMap(([at, value]): [number, Value][] => (at >= p1 ? [[at - p1, value]] : []));
      if (mergeRegisters(this.#passed, new Map(passed))) this.#isChanged = true;
    },
    Param: ({ p1, p2 }, frame) => frame.set(p2, this.#passed.get(p1)),
  };

  #show(columns: readonly Part[]): void {
    const known = this.#results;
    this.#results = columns.map((taint, i) => mergeTaints(known?.[i], taint));
  }

  #note(taint: Part): Part {
    this.#read = mergeTaints(this.#read, taint);
    return taint;
  }

  #noteRecord(value: Value | undefined): Value | undefined {
    this.#note(value?.taint);
    return value;
  }

  #call(one: Instruction, frame: Frame): void {
    const { name, size } = readFunction(one);
    const count = size < 0 ? this.#options.countArguments(name) : size;
    frame.set(one.p3, frame.derive(...Array.from({ length: count }, (_, i) => one.p2 + i)));
  }

  #aggregate(one: Instruction, frame: Frame): void {
    const { p2, p3, p5 } = one;
    if (!counting.has(readFunction(one).name)) frame.add(p3, deriveTaint(mergeTaints(...frame.list(p2, p5))));
  }

  /** The number of arguments is in a register, which the program sets to a constant. */
  #filter({ p1, p3 }: Instruction, frame: Frame, { cursors, program }: Place): void {
    const counts = program.filter(({ op, p2 }) => op === 'Integer' && p2 === p3 + 1).map((one) => one.p1);
    const passed = deriveTaint(mergeTaints(...frame.list(p3 + 2, Math.max(0, ...counts))));
    if (cursors.pass(p1, passed)) this.#isChanged = true;
    this.#compared = mergeTaints(this.#compared, passed);
  }

  #insert(cursor: number, { parts, rowid }: { parts: readonly Part[]; rowid: Part }, { cursors }: Place): void {
    if (cursors.isOwn(cursor)) {
      this.#compared = mergeTaints(this.#compared, ...cursors.keyParts(cursor, parts));
      if (cursors.store(cursor, parts, rowid)) this.#isChanged = true;
    }
    for (const tree of cursors.trees(cursor)) {
      for (const [column, taint] of parts.entries()) this.#store(tree, column, taint);
      this.#store(tree, undefined, rowid);
    }
  }

  #store(tree: Tree | undefined, column: number | undefined, taint: Part): void {
    if (taint !== undefined) this.#stored.push({ tree, column, taint });
  }

  /** Notes what is compared; whether a value is NULL is no comparison. */
  #compare({ op, p1, p3, p4 }: Instruction, frame: Frame, { cursors }: Place): void {
    if (comparisons.has(op)) this.#noteCompared(frame.taint(p1), frame.taint(p3));
    else if (op === 'If' || op === 'IfNot') this.#noteCompared(frame.taint(p1));
    else if (op === 'Compare') this.#noteCompared(...frame.list(p1, p3));
    else if (keyChecks.has(op) && cursors.isWritten(p1)) return;
    else if (op === 'SeekRowid' || op === 'NotExists') this.#noteCompared(frame.taint(p3), cursors.rowid(p1));
    else if (seeks.has(op)) {
      const size = Number(p4) || 0;
      const own = cursors.row(p1);
      this.#noteCompared(...(size === 0 ? [frame.taint(p3), ...own] : [...frame.list(p3, size), ...own.slice(0, size)]));
    }
  }

  #noteCompared(...taints: readonly Part[]): void {
    this.#compared = mergeTaints(this.#compared, ...taints);
  }
}

interface Place {
  cursors: Cursors;
  program: Program;
}

/** The registers behind one instruction, as it changes them. */
class Frame {
  readonly after: Registers;
  /** What decides whether the instruction runs. */
  readonly #choice: Taint | undefined;

  constructor(before: Registers, choice: Taint | undefined) {
    this.after = new Map(before);
    this.#choice = choice;
  }

  get(register: number): Value | undefined {
    return this.after.get(register);
  }

  taint(register: number): Part {
    return this.after.get(register)?.taint;
  }

  list(from: number, size: number): Part[] {
    return Array.from({ length: size }, (_, i) => this.taint(from + i));
  }

  parts(register: number): readonly Part[] {
    const value = this.after.get(register);
    return value?.parts ?? (value === undefined ? [] : [value.taint]);
  }

  derive(...registers: readonly number[]): Value | undefined {
    return toValue(deriveTaint(mergeTaints(...registers.map((register) => this.taint(register)))));
  }

  set(register: number, value: Value | undefined): void {
    const found = this.#choice === undefined ? value : mergeValues(value, { taint: this.#choice });
    if (found === undefined) this.after.delete(register);
    else this.after.set(register, found);
  }

  add(register: number, taint: Part): void {
    this.set(register, mergeValues(this.get(register), toValue(taint)));
  }

  copy(from: number, to: number, size: number): void {
    const values = Array.from({ length: size }, (_, i) => this.get(from + i));
    for (const [i, value] of values.entries()) this.set(to + i, value);
  }

  clear(from: number, to: number): void {
    for (let register = from; register <= to; register += 1) this.set(register, undefined);
  }
}
