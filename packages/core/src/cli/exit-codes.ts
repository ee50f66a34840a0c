/** What the program's exit code says. A script may count on these. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;
