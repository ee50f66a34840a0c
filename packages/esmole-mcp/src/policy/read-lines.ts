import { parseStrict } from '../guard/body/strict-json.ts';

/** The values of a body that has one on each line, or is a list of them. */
export function readLines(body: unknown): readonly unknown[] {
  if (typeof body !== 'string') return [body].flat();
  return body
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseStrict);
}
