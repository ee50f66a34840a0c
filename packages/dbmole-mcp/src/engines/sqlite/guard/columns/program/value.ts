import { deriveTaint, isSameTaint, mergeTaints, type Taint } from '../../../../../policy/taint.ts';

export type Part = Taint | undefined;

/** What is in a register: a value, or a record with the values of several columns. One that is missing is of no protected column. */
export interface Value {
  readonly taint: Taint;
  /** The columns of a record, from the left. */
  readonly parts?: readonly Part[] | undefined;
}

/** The registers that have something of a protected column, by their numbers. */
export type Registers = Map<number, Value>;

export function toValue(taint: Part): Value | undefined {
  return taint && { taint };
}

export function toRecord(parts: readonly Part[]): Value | undefined {
  const taint = deriveTaint(mergeTaints(...parts));
  return taint && { taint, parts };
}

export function mergeValues(one: Value | undefined, other: Value | undefined): Value | undefined {
  if (one === undefined || other === undefined || isSameValue(one, other)) return one ?? other;
  const taint = mergeTaints(one.taint, other.taint) ?? one.taint;
  return { taint, parts: one.parts && other.parts && mergeParts(one.parts, other.parts) };
}

export function mergeParts(one: readonly Part[], other: readonly Part[]): readonly Part[] {
  const longer = one.length >= other.length ? one : other;
  return longer.map((_, i) => mergeTaints(one[i], other[i]));
}

export function isSameParts(one: readonly Part[] = [], other: readonly Part[] = []): boolean {
  return one.length === other.length && one.every((part, i) => isSameTaint(part, other[i]));
}

function isSameValue(one: Value, other: Value): boolean {
  return one === other || (isSameTaint(one.taint, other.taint) && isSameParts(one.parts, other.parts));
}

/** Adds what another way leads to; true if that was not known. */
export function mergeRegisters(into: Registers, from: Registers): boolean {
  let isChanged = false;
  for (const [register, value] of from) {
    const known = into.get(register);
    const merged = mergeValues(known, value);
    if (merged === undefined || (known !== undefined && isSameValue(known, merged))) continue;
    into.set(register, merged);
    isChanged = true;
  }
  return isChanged;
}
