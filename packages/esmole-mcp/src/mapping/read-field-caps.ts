import { Turns } from '@dbmole/core';
import type { AnswerLimits } from '../answer/answer.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { buildPath } from '../call/path.ts';
import { isObject } from '../search/hit-table.ts';

const limits: AnswerLimits = {
  bytes: 1024 * 1024,
  json: { string: 4 * 1024, list: 1024 * 1024, total: 32 * 1024 * 1024 },
};

/** The capabilities of each field by type. With more than one type, each names its indices. */
export type FieldCaps = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

interface ReadFieldCaps {
  readonly fields: FieldCaps;
  /** The answer is complete. */
  readonly isWhole: boolean;
}

/** Reads the capabilities of these fields in all indices together; undefined when the cluster does not report them. */
export async function readFieldCaps(
  call: ClusterCall,
  index: string | undefined,
  params: Readonly<Record<string, string | boolean>>,
): Promise<ReadFieldCaps | undefined> {
  const answer = await call.ask({ path: buildPath(index, '_field_caps'), params }, limits);
  if (answer.status >= 300 || !isObject(answer.json)) return undefined;
  const known = isObject(answer.json.fields) ? answer.json.fields : {};
  const fields = new Map<string, Readonly<Record<string, unknown>>>();
  const turns = new Turns();
  for (const name of Object.keys(known)) {
    const types = known[name];
    if (isObject(types)) fields.set(name, types);
    await turns.next();
  }
  return { fields, isWhole: answer.isPartial !== true };
}
