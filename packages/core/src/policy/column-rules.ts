import * as z from 'zod';
import { columnActions } from './match-columns.ts';

const expectedRule = 'expected table.column, such as users.email or *.*password*';

const rule = z
  .string()
  .max(300)
  .regex(/^[^.\p{Cc}][^\p{Cc}]*$/u, expectedRule)
  .refine((text) => text.includes('.') && !text.endsWith('.'), expectedRule);

/** The part of a connection's schema that protects columns. `show` takes a column out of a broader rule. */
export const columnShape = {
  columns: z.record(rule, z.enum([...columnActions, 'show'])).optional(),
  /** Rules that come with the program. */
  pii: z.enum(['common']).optional(),
  /** Also refuses comparisons with protected columns, and what cannot be traced. */
  strict: z.boolean().optional(),
};
