import type { ClusterIdentity, ReadRequest } from '../../src/call/cluster-request.ts';
import type { Method } from '../../src/call/path.ts';
import { guardRequest } from '../../src/guard/guard.ts';
import { table } from '../../src/guard/route-table.ts';
import { formatWire } from '../../src/http/wire.ts';
import { readCases } from './cases.ts';

interface Fuzzed {
  readonly tried: number;
  /** One for each shape of path and set of parameters. */
  readonly accepted: readonly ReadRequest[];
}

const verbs: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
const names = ['g-shop', 'g-*', '*', '_all', 'g-none', 'g-shop,g-lookup', '1', 'x', '_local', 'os', 'docs', 'search', 'query'];
const values = ['true', '1', '1m', 'open', 'a', '_local', ''];
const extra = ['refresh', 'source', 'pipeline', 'op_type', 'wait_for_completion', 'index', 'force'];
/** Routes that write, which the table does not know. */
const writing =
  '_doc _create _update _bulk _refresh _flush _forcemerge _clone _close _block _scripts _security user _reindex _aliases';

const templates = table.map(({ allow }) => allow.split(' ').at(-1) ?? '');
const words = [...new Set([...templates.flatMap((template) => template.split(/[/[\]]+/)), ...writing.split(' ')])].filter(
  (word) => word !== '' && !word.startsWith('{'),
);
const params = [...new Set([...table.flatMap((line) => (line.params ?? '').split(' ')), ...extra])].filter(Boolean);
const bodies = readCases('reads').flatMap(({ body }) => (typeof body === 'object' ? [body] : []));

/** Requests of the table's own words, mixed: the same ones each time. */
export function fuzzCases(identity: ClusterIdentity, count: number): Fuzzed {
  const random = createRandom(20_240_601);
  const found = new Map<string, ReadRequest>();
  for (let tried = 0; tried < count; tried++) {
    const request = mix(random);
    try {
      const read = guardRequest(request, { identity, systemIndices: false });
      found.set(toShape(read), read);
    } catch {
      // It is refused, as most are.
    }
  }
  return { tried: count, accepted: [...found.values()] };
}

type Random = <T>(list: readonly T[]) => T;

function mix(random: Random) {
  const path = random([fromTemplate, fromTemplate, fromTemplate, fromWords])(random);
  const wanted = random([0, 0, 0, 1, 2]);
  const query = Object.fromEntries(Array.from({ length: wanted }, () => [random(params), random(values)]));
  const body = random([undefined, undefined, random(bodies), {}, '{}\n{}\n']);
  return { method: random(verbs), path: `/${path.join('/')}`, params: query, body };
}

/** A template with one part exchanged, put in, left out, or as it is. */
function fromTemplate(random: Random): string[] {
  const template = random(templates).replace(/\[([^\]]*)\]/g, (_all, inner: string) => random([inner, '']));
  const parts = template
    .split('/')
    .filter(Boolean)
    .map((part) => (part.startsWith('{') ? random(names) : part));
  const at = random([...parts.keys(), 0]);
  const other = random([...words, ...names]);
  return random([parts, parts, parts.toSpliced(at, 1, other), parts.toSpliced(at, 0, other), parts.toSpliced(at, 1)]);
}

function fromWords(random: Random): string[] {
  return Array.from({ length: random([1, 2, 3, 4]) }, () => random([...words, ...names]));
}

function toShape(read: ReadRequest): string {
  const { method, path, body } = formatWire(read);
  const shape = path.replace(/\?.*/, '').replace(/g-[\w,*-]*|\*[^/]*/g, '{}');
  return [method, shape, [...read.params.keys()].join(' '), body?.slice(0, 20)].join(' ');
}

/** Small, and the same on every machine. */
function createRandom(seed: number): Random {
  let state = seed;
  return (list) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const chosen = list[Math.floor((state / 2 ** 32) * list.length)];
    if (chosen === undefined && list.length === 0) throw new Error('nothing to choose from');
    // An index within the list; the list may hold undefined.
    return chosen as (typeof list)[number];
  };
}
