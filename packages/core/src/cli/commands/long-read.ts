import { readFileSync } from 'node:fs';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import { systemCode } from '../../files/system-code.ts';
import type { Backend } from '../../manager/backend.ts';
import { parseTime } from '../../program/settings.ts';
import type { CommandCall } from '../command.ts';

/** A person may wait as long as they like, unless they say otherwise. */
export function limitTime<C extends BaseConnection, B extends Backend>({ app }: CommandCall<C, B>, stop: AbortController) {
  const { timeout } = app.settings;
  if (timeout === undefined) return undefined;
  const late = new Failure('timeout', `there was no answer within ${timeout}`, {
    hint: 'Ask for less, or pass a larger --timeout.',
  });
  return setTimeout(() => stop.abort(late), parseTime(timeout));
}

/** A file that the caller named with this option. */
export function readTextFile(path: string, option: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = systemCode(error) === 'ENOENT' ? 'there is no such file' : systemCode(error);
    throw new Failure('input', `cannot read ${path}: ${why}`, { hint: `Correct the path after ${option}.`, cause: error });
  }
}
