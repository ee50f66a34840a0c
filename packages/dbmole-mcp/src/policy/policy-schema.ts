import { columnShape, writeShape } from '@dbmole/core';
import * as z from 'zod';

const pattern = /^!?[^\s!,\p{Cc}][^,\p{Cc}]{0,199}$/u;
const names = z.array(z.string().regex(pattern, 'expected a name, or a pattern such as app_* or !secret')).min(1).max(500);
const tableNames = z
  .array(
    z
      .string()
      .regex(/^(?!.*\..*\.)/, 'expected table or schema.table')
      .regex(pattern, 'expected a name, or a pattern such as app_* or !hr.*'),
  )
  .min(1)
  .max(500);

/** What a person allows on a connection. A new key here is also one of `policyFields`, so that no tool can set it. */
export const policyShape = {
  ...writeShape,
  databases: names.optional(),
  schemas: names.optional(),
  tables: tableNames.optional(),
  ...columnShape,
  /** A read whose plan is beyond one of these is refused, or only noted with `warn`. */
  maxCost: z.number().positive().max(1e18).optional(),
  maxScanRows: z.int().min(1).max(1e15).optional(),
  maxBytes: z.int().min(1).max(1e18).optional(),
  warn: z.boolean().optional(),
};

/** Whether `warn` is there without a limit that it could be about. */
export function warnsOfNothing(given: Readonly<Record<string, unknown>>): boolean {
  return given.warn !== undefined && costKeys.every((key) => given[key] === undefined);
}

/** The limits of what a read may cost. */
export const costKeys = ['maxCost', 'maxScanRows', 'maxBytes'] as const;

export const policyFields = Object.keys(policyShape);
