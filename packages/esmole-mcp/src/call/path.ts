import { Failure } from '@dbmole/core';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** Needs no code in a path, so a code for it only makes two readers see two paths. */
const needsNoCode = /^[A-Za-z0-9_.~-]$/;

/** `<logs-{now/d}>`: the one place where a name holds a slash, before a unit of time. Proxies cannot turn it into another request. */
const dateMath = /^<[^/{]*\{now[^/]*\/[yMwdhHms][^/]*\}>$/;

/** These stay readable: they end or separate nothing in a path. */
const readable: Readonly<Record<string, string>> = { '%2C': ',', '%3A': ':', '%40': '@', '%3D': '=' };

const maxShownLength = 200;
/** An id may have any character, and not all can be sent in a path. */
const withDocument = /^\/?[^/]+\/_(?:doc|source|explain|termvectors)\/./;

/**
 * The parts of a path, decoded once. Refuses whatever a cluster, a proxy and we could read in different ways: what is sent is
 * rebuilt from these parts by `formatPath`, so what was checked is what arrives.
 */
export function parsePath(path: string): readonly string[] {
  if (/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(path)) throw urlFailure(path);
  if (path.includes('#')) throw pathFailure(path, 'has a #, which cannot be part of a path');
  if (path.includes('\\')) throw pathFailure(path, 'has a \\');
  const inner = path.startsWith('/') ? path.slice(1) : path;
  if (inner === '') return [];
  return inner.split('/').map((part) => parseSegment(part, path));
}

/** The path begins with a slash; each part decodes to exactly what it was. */
export function formatPath(segments: readonly string[]): string {
  return `/${segments.map(encodeSegment).join('/')}`;
}

/** A name or pattern in a path: commas separate names, and the guard looks at each. */
export function buildPath(...segments: readonly (string | undefined)[]): string {
  return `/${segments.flatMap((segment) => (segment === undefined ? [] : [encodeURIComponent(segment)])).join('/')}`;
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/%(?:2C|3A|40|3D)/g, (code) => readable[code] ?? code);
}

function parseSegment(part: string, path: string): string {
  if (part === '') throw pathFailure(path, 'has an empty part: two slashes in a row, or one at the end');
  const segment = decode(part, path);
  if (segment === '.' || segment === '..') throw pathFailure(path, `has the part "${segment}"`);
  if (segment.includes('%')) throw pathFailure(path, 'has an encoded %');
  if (/[?#\\]/.test(segment)) throw pathFailure(path, 'has an encoded ?, # or \\');
  if (/\p{Cc}/u.test(segment)) throw pathFailure(path, 'has a control character');
  if (segment.includes('/') && !segment.split(',').every(isPlainOrDateMath)) throw pathFailure(path, 'has an encoded /');
  if (part.startsWith('<') && !part.includes('>')) throw pathFailure(path, 'has a date-math name whose / must be written %2F');
  return segment;
}

function isPlainOrDateMath(name: string): boolean {
  return !name.includes('/') || dateMath.test(name);
}

function decode(part: string, path: string): string {
  for (const [code] of part.matchAll(/%[0-9a-f]{2}/gi)) {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (needsNoCode.test(character)) throw pathFailure(path, `has ${code} instead of ${character}`);
  }
  try {
    const segment = decodeURIComponent(part);
    // A half of a character is found here and not when it is sent.
    encodeURIComponent(segment);
    return segment;
  } catch {
    throw pathFailure(path, 'has an invalid % escape');
  }
}

function urlFailure(url: string): Failure {
  const [, rest = '/'] = /^[^/]*\/\/[^/]*(\/.*)$/s.exec(url) ?? [];
  return pathFailure(
    url,
    'is a URL',
    `Pass ${JSON.stringify(rest.slice(0, maxShownLength))}: the connection says where the cluster is.`,
  );
}

function pathFailure(path: string, what: string, hint?: string): Failure {
  const shown = path.length > maxShownLength ? `${path.slice(0, maxShownLength)}…` : path;
  return new Failure('input', `the path ${JSON.stringify(shown)} ${what}`, {
    code: 'E_PATH',
    hint:
      hint ??
      (withDocument.test(path)
        ? 'Find a document with such an ID with POST /my-index/_search and the query {"ids": {"values": ["…"]}}.'
        : 'Write a path like /my-index/_search, with query parameters in `params`.'),
  });
}
