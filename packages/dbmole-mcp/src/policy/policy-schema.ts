import { columnShape } from '@dbmole/core';
import * as z from 'zod';

const writeMode = z.enum(['never', 'ask', 'allow']);

/** What statements of `execute` may change: data, and structure. One word counts for both. */
const writes = z.union([writeMode, z.strictObject({ dml: writeMode.optional(), ddl: writeMode.optional() })]);

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
  writes: writes.optional(),
  databases: names.optional(),
  schemas: names.optional(),
  tables: tableNames.optional(),
  ...columnShape,
  /** Whether a change of all rows needs a confirmation: an UPDATE or DELETE without WHERE, TRUNCATE. */
  noWhere: z.enum(['refuse', 'allow']).optional(),
  /** A statement that changes more rows is rolled back. */
  maxRows: z.int().min(1).max(1_000_000_000).optional(),
  /** A read whose plan is beyond one of these is refused, or only noted with `warn`. */
  maxCost: z.number().positive().max(1e18).optional(),
  maxScanRows: z.int().min(1).max(1e15).optional(),
  maxBytes: z.int().min(1).max(1e18).optional(),
  warn: z.boolean().optional(),
};

/** Whether nothing can be written, which is what `readonly` says. */
export function allowsNoWrite({ writes: given }: { writes?: z.output<typeof writes> | undefined }): boolean {
  return given === 'never' || (typeof given === 'object' && given.dml === 'never' && given.ddl === 'never');
}

/** Whether `warn` is there without a limit that it could be about. */
export function warnsOfNothing(given: Readonly<Record<string, unknown>>): boolean {
  return given.warn !== undefined && costKeys.every((key) => given[key] === undefined);
}

/** The limits of what a read may cost. */
export const costKeys = ['maxCost', 'maxScanRows', 'maxBytes'] as const;

export const policyFields = Object.keys(policyShape);
