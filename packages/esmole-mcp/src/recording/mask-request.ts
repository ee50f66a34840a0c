import { createHash } from 'node:crypto';
import type { StatementText } from '@dbmole/core';
import { type ClusterRequest, parseTarget, type RequestBody } from '../call/cluster-request.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import type { QueryLanguage } from '../guard/query/check-query.ts';
import { table } from '../guard/route-table.ts';
import { readLanguage } from '../guard/write/open-write.ts';
import { isObject } from '../search/hit-table.ts';
import { maskQuery, unreadable } from './mask-query.ts';

const literal = '?';
/** Characters of a body; the log keeps no more. */
const maxBody = 8_000;
const maxLines = 20;
const maxItems = 10;
const maxDepth = 100;

/**
 * The request on one line: its path with indices and without ids, the names of its parameters, and the body with `?` for each value. What
 * is not plain JSON is not shown at all. Never throws.
 */
export function maskRequest(request: ClusterRequest): StatementText {
  const { method } = request;
  const { path, segments } = maskTarget(request);
  const body = maskBody(request.body, readLanguage(segments));
  const text = [method, path, body].filter((part) => part !== '').join(' ');
  const fingerprint = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { text, fingerprint, summary: summarize(method, path) };
}

function maskTarget(request: ClusterRequest): { path: string; segments: readonly string[] } {
  try {
    const { segments, params } = parseTarget(request);
    const names = [...params.keys()].map((name) => `${name}=${literal}`);
    const path = `/${segments.map((_, at) => maskSegment(segments, at)).join('/')}`;
    return { segments, path: names.length === 0 ? path : `${path}?${names.join('&')}` };
  } catch {
    return { path: unreadable, segments: [] };
  }
}

/** The words of paths that lead to an API. */
const words = new Set(table.flatMap(({ allow }) => allow.split(/[^A-Za-z_]+/).filter((word) => /^[a-z_]+$/.test(word))));
/** An id follows. */
const beforeIds = new Set(['_doc', '_create', '_update', '_source', '_explain', '_termvectors']);
const indexName = /^[\p{Ll}\p{N}_.*,:<>{}/|+-]{1,255}$/u;

function maskSegment(segments: readonly string[], at: number): string {
  const segment = segments[at] ?? '';
  if (beforeIds.has(segments[at - 1] ?? '')) return literal;
  if (/^_[a-z_]{1,40}$/.test(segment) || (at > 0 && words.has(segment))) return segment;
  return at === 0 && indexName.test(segment) ? segment : literal;
}

/** `search orders` */
function summarize(method: string, path: string): string {
  const segments =
    path
      .split('?', 1)[0]
      ?.split('/')
      .filter((part) => part !== '') ?? [];
  const api = segments.findLast((segment) => segment.startsWith('_'));
  const [first = ''] = segments;
  const index = first.startsWith('_') || first === literal || first === unreadable ? '' : first;
  return `${api?.slice(1) ?? method} ${index}`.trim().slice(0, 255);
}

function maskBody(body: RequestBody | undefined, language: QueryLanguage | undefined): string {
  if (body === undefined || body === '') return '';
  try {
    const values = typeof body === 'string' ? parseText(body) : Array.isArray(body) ? body : [body];
    const shown = values.slice(0, maxLines).map((value) => new BodyMasker(language).mask(value));
    const more = values.length > maxLines ? [`… ${values.length - maxLines} more`] : [];
    return [...shown, ...more].join(' ');
  } catch {
    return unreadable;
  }
}

/** One value, or one on each line. */
function parseText(text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  try {
    return lines.map(parseStrict);
  } catch {
    return [parseStrict(text)];
  }
}

class BodyMasker {
  readonly #language: QueryLanguage | undefined;
  #length = 0;

  constructor(language: QueryLanguage | undefined) {
    this.#language = language;
  }

  mask(value: unknown, depth = 0): string {
    if (depth > maxDepth || this.#length > maxBody) return '"…"';
    if (Array.isArray(value)) return this.#maskList(value, depth);
    return isObject(value) ? this.#maskObject(value, depth) : this.#count('"?"');
  }

  #maskList(list: readonly unknown[], depth: number): string {
    const isFlat = list.every((item) => typeof item !== 'object' || item === null);
    if (isFlat) return this.#count(list.length === 0 ? '[]' : '["?"]');
    const shown = list.slice(0, maxItems).map((item) => this.mask(item, depth + 1));
    return `[${[...shown, ...(list.length > maxItems ? ['"…"'] : [])].join(',')}]`;
  }

  #maskObject(value: Readonly<Record<string, unknown>>, depth: number): string {
    const parts: string[] = [];
    for (const [key, inner] of Object.entries(value)) {
      if (this.#length > maxBody) break;
      const isText = depth === 0 && key === 'query' && typeof inner === 'string' && this.#language !== undefined;
      const shown = this.#count(`"${maskKey(key)}":`);
      parts.push(`${shown}${isText ? JSON.stringify(maskQuery(inner, this.#language)) : this.mask(inner, depth + 1)}`);
    }
    return `{${parts.join(',')}}`;
  }

  #count(text: string): string {
    this.#length += text.length;
    return text;
  }
}

/** Keys are mostly names of fields. One that cannot be may be data. */
function maskKey(key: string): string {
  return /^@?[\p{L}_][\p{L}\p{N}_.*-]{0,99}$/u.test(key) ? key : literal;
}
