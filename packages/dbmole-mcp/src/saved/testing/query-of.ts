import type { SavedQuery } from '@dbmole/core';
import { parseParamLine } from '@dbmole/core/testing';

/** A query with these parameters, as their lines in a file declare them. */
export function queryOf(lines: readonly string[], body: string): SavedQuery {
  const params = lines.map((line) => {
    const param = parseParamLine(line, { hasNativeTypes: true, hasPatterns: true, reserved: [] });
    if (typeof param === 'string') throw new Error(param);
    return { ...param, line: 1 };
  });
  return { name: 'a_b', description: 'x', params, effect: 'read', isEnabled: true, body };
}
