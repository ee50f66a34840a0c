import { Failure } from '@dbmole/core';
import type { ClusterRequest, RequestBody } from '../call/cluster-request.ts';

/** Longer input is refused before it is checked: checking takes time, in which no other call is answered. */
const maxPathLength = 65_536;
const maxBodyLength = 1024 * 1024;
const maxValues = 20_000;
const maxDepth = 300;
const maxParams = 100;
/** The limit for the id of a scroll or a point in time; one of a thousand shards is shorter. */
const maxIdLength = 65_536;

/** Throws `E_PATH` or `E_PARAMS` where they are too large to be checked. */
export function checkTargetSize({ path, params }: Pick<ClusterRequest, 'path' | 'params'>): void {
  if (path.length > maxPathLength) throw sizeFailure('the path', path.length, maxPathLength, 'E_PATH');
  const given = Object.entries(params);
  if (given.length > maxParams) throw paramsFailure(given.length);
  for (const [name, value] of given) {
    const { length } = String(value);
    if (length > maxPathLength) throw sizeFailure(`the parameter ${name.slice(0, 64)}`, length, maxPathLength, 'E_PARAMS');
  }
}

/** Throws `E_BODY`. A document that is written is not checked and has no limit. A sample need not be JSON. */
export function checkBodySize(body: RequestBody | undefined, { isSample = false } = {}): void {
  if (typeof body === 'string') checkText(body, isSample);
  else if (body !== undefined) checkNested(body);
}

export function checkIdLength(id: string): void {
  if (id.length > maxIdLength) throw sizeFailure('the id', id.length, maxIdLength, 'E_BODY');
}

/** Refuses bodies that are nested too deeply to be written as JSON. */
export function checkDepth(body: RequestBody | undefined): void {
  if (typeof body === 'object') checkNested(body, false);
}

/** Level by level, not by calls: those have a limit of their own. */
function checkNested(body: object, isChecked = true): void {
  let [values, length] = [0, 0];
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw depthFailure();
    const next: unknown[] = [];
    for (const [key, value] of listParts(level)) {
      next.push(value);
      length += key.length + (typeof value === 'string' ? value.length : 0);
      if (isChecked && ++values > maxValues) throw countFailure();
    }
    if (isChecked && length > maxBodyLength) throw sizeFailure('the body', length, maxBodyLength, 'E_BODY');
    level = next;
  }
}

/** Yields one part after another, so that an object with too many keys is not copied. */
function* listParts(level: readonly unknown[]): Generator<readonly [key: string, value: unknown]> {
  for (const holder of level) {
    if (Array.isArray(holder)) for (const value of holder) yield ['', value];
    else if (typeof holder === 'object' && holder !== null) for (const key in holder) yield [key, Reflect.get(holder, key)];
  }
}

/** Measures without parsing: what is not JSON is refused later. */
function checkText(text: string, isSample: boolean): void {
  if (text.length > maxBodyLength) throw sizeFailure('the body', text.length, maxBodyLength, 'E_BODY');
  if (isSample) return;
  let [values, depth] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') at = endOfText(text, at);
    if ('{['.includes(char)) depth++;
    if (']}'.includes(char)) depth--;
    if (',{['.includes(char)) values++;
    if (values > maxValues) throw countFailure();
    if (depth > maxDepth) throw depthFailure();
  }
}

function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function paramsFailure(count: number): Failure {
  return new Failure('input', `there are ${count} parameters: expected at most ${maxParams}`, {
    code: 'E_PARAMS',
    hint: 'Send fewer parameters.',
  });
}

function countFailure(): Failure {
  return new Failure('input', `the body has more than ${maxValues} keys and values`, {
    code: 'E_BODY',
    hint: 'Send it in several requests.',
  });
}

function depthFailure(): Failure {
  return new Failure('input', `the body is nested more than ${maxDepth} levels deep`, {
    code: 'E_BODY',
    hint: 'Send a body with fewer levels.',
  });
}

function sizeFailure(what: string, length: number, limit: number, code: 'E_PATH' | 'E_PARAMS' | 'E_BODY'): Failure {
  return new Failure('input', `${what} has ${length} characters: expected at most ${limit}`, {
    code,
    hint: code === 'E_BODY' ? 'Send it in several requests.' : 'Shorten it.',
  });
}
