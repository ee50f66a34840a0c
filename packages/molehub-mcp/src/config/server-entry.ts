import { parseTime, plainText, secretRef } from '@dbmole/core';
import * as z from 'zod';

/** Milliseconds, written as `30s` or as a number of seconds. */
const duration = z.union([z.string(), z.number()]).transform((value, context) => {
  try {
    return parseTime(String(value), 'duration');
  } catch {
    context.addIssue('must be a duration such as 30s, 500ms or 5m, at most 60m');
    return z.NEVER;
  }
});

const extras = {
  enabled: z.boolean().default(true),
  /** Names of tools that are offered; `*` matches any characters. */
  tools: z.array(z.string()).optional(),
  /** Whether its prompts and its resources are passed on. */
  prompts: z.boolean().default(true),
  resources: z.boolean().default(true),
  share: z.enum(['all', 'session']).default('all'),
  idle: duration.optional(),
  startTimeout: duration.default(60_000),
  callTimeout: duration.default(30_000),
};

const values = z.record(z.string().regex(/^[^=\p{Cc}]+$/u), secretRef);

const stdioEntry = z.object({
  command: plainText,
  args: z.array(z.string()).default([]),
  env: values.default({}),
  cwd: z.string().min(1).optional(),
  ...extras,
});

const httpEntry = z.object({
  url: z.string().min(1),
  headers: values.default({}),
  ...extras,
});

const serverEntry = z.union([stdioEntry, httpEntry]);

export type ServerEntry = z.infer<typeof serverEntry>;

/** Keys with which clients mark a server's kind; it follows from the other keys. */
const ignoredKeys = ['type', 'transport', 'description', 'name', '$schema'];

export const knownKeys = [...Object.keys(stdioEntry.shape), ...Object.keys(httpEntry.shape), ...ignoredKeys];

export function schemaFor(raw: Record<string, unknown>) {
  return 'url' in raw && !('command' in raw) ? httpEntry : stdioEntry;
}
