import { askUser, Failure, type Hint, nearestNames, readonlyAdvice } from '@dbmole/core';
import type { ClusterIdentity } from '../call/cluster-request.ts';
import type { ParamProblem } from './params.ts';
import { findReason } from './reasons.ts';
import { type Route, routes } from './route-table.ts';
import { formatTemplate, type Template } from './route-template.ts';
import { formatWhere, isThere, needsDefaultBuild } from './route-versions.ts';

const code = 'E_NOT_A_READ';

/** The connection may write only if this is false. */
type Access = { readonly?: boolean | undefined };

/** It is in no line of the table. */
export function unknownFailure(
  method: string,
  segments: readonly string[],
  { identity, ...access }: Access & { identity: ClusterIdentity },
): Failure {
  const reason = findReason(method, segments);
  const why = reason?.why ?? (changes(method) ? `${method} changes data` : 'it is not on the list of known reads');
  const nearest = reason === undefined ? nearestRoutes(method, segments, identity) : [reason.instead ?? []].flat();
  return new Failure('refused', `${formatRequest(method, segments)} is refused: ${why}; nothing was sent`, {
    code,
    hint: nextStep(method, access, reason?.asPost),
    nearest,
  });
}

/** The path is in the table, and the method is another. */
export function methodFailure(method: string, segments: readonly string[], routes: readonly Route[], access: Access): Failure {
  const isChange = mayChange(method);
  const why = isChange ? (findReason(method, segments)?.why ?? `${method} changes data`) : `it does not take ${method}`;
  return new Failure('refused', `${formatRequest(method, segments)} is refused: ${why}; nothing was sent`, {
    code,
    hint: nextStep(method, access),
    nearest: [...new Set(routes.map(formatRoute))].slice(0, 2),
  });
}

export function versionFailure(route: Route, identity: ClusterIdentity, others: readonly Route[]): Failure {
  const { product, version, flavour } = identity;
  const where = route.line.where === undefined ? '' : formatWhere(route.line.where);
  const isBuild = needsDefaultBuild(route.ranges, identity);
  const build = isBuild ? `, build flavor ${flavour ?? 'unknown'}` : '';
  const here =
    version === undefined ? 'the version of this cluster is unknown' : `this is ${readName(product)} ${version}${build}`;
  const [other] = others;
  const needs = isBuild
    ? 'needs the default distribution of Elasticsearch'
    : `${mayChange(route.method) ? 'is sent only to' : 'needs'} ${where}`;
  return new Failure('refused', `${formatRoute(route)} ${needs}; ${here}`, {
    code,
    hint: other === undefined ? `${whyUnsent(route.method)} Use another request.` : `Send it as ${other.method}.`,
    nearest: others.map(formatRoute),
  });
}

/** A GET is refused because no route would answer it. */
function whyUnsent(method: string): string {
  return mayChange(method) ? 'On other versions this path can write, so it was not sent.' : 'This cluster does not support it.';
}

/** The answer may hold secrets, which only a person can allow. */
export function sensitiveFailure(route: Route, what: string): Failure {
  return new Failure('refused', `${formatRoute(route)} is refused: ${what} may hold secrets`, {
    code: 'E_SENSITIVE',
    hint: askUser('set `sensitive` to true on the connection'),
  });
}

export function paramFailure(route: Route, { name, problem, known }: ParamProblem): Failure {
  const isKnown = known.includes(name);
  const some = known.length > 12 ? `${known.slice(0, 10).join(', ')} and ${known.length - 10} more` : known.join(', ');
  return new Failure('refused', `${formatRoute(route)} ${problem}`, {
    code,
    hint: isKnown
      ? (unallowed.get(name) ?? 'Change it, or leave it out.')
      : (unwanted.get(name) ?? `Leave it out. Accepted parameters: ${some}.`),
    nearest: isKnown ? [] : nearestNames(name, known),
  });
}

/** Parameters that are known, and that no read takes. */
const unwanted: ReadonlyMap<string, string> = new Map([
  ['source', 'Send it as the body.'],
  ['source_content_type', 'Send `source` as the body.'],
  ['index', 'Name indices in the path.'],
  ['refresh', 'Leave it out: it makes the cluster refresh the index.'],
  ['search_pipeline', 'Leave it out: the effects of a pipeline cannot be checked.'],
  ['pipeline', 'Leave it out: the effects of a pipeline cannot be checked.'],
  ['wait_for_completion', 'Leave it out: without waiting, the request goes on as a task.'],
]);

/** Parameters that a read takes, with a value that it does not take. */
const unallowed: ReadonlyMap<string, Hint> = new Map([
  ['expand_wildcards', ['Leave it out.', askUser('set `systemIndices` to true on the connection')]],
]);

/** The refusal for connections with a list of allowed indices. */
export function wholeFailure(route: Route, param?: string): Failure {
  const what = param === undefined ? formatRoute(route) : `${formatRoute(route)} with ${param}`;
  return new Failure('refused', `${what} covers all indices, and this connection may read only some`, {
    code: 'E_INDEX_REFUSED',
    hint: `${param === undefined ? 'Use' : `Leave ${param} out, or use`} a request with an index in its path.`,
  });
}

/** A POST may be one or the other. */
function changes(method: string): boolean {
  return ['PUT', 'DELETE', 'PATCH'].includes(method);
}

function mayChange(method: string): boolean {
  return changes(method) || method === 'POST';
}

/** A GET is guarded on writable connections, too. */
function nextStep(method: string, { readonly }: Access, asPost = false): Hint {
  if (!asPost && !mayChange(method)) return 'Use a request that only reads: GET is guarded on every connection.';
  const cli = 'This command only reads. Use another client of the cluster, such as curl, to change data.';
  if (readonly !== false) return { tool: readonlyAdvice, cli };
  if (asPost) return { tool: 'Send it as POST: this connection may write.', cli };
  return { call: 'es_request', to: 'send it', tool: 'No tool of this server changes data.', cli };
}

/** Long names are cut: the words of the path are what matters. */
function formatRequest(method: string, segments: readonly string[]): string {
  const path = `/${segments.map((segment) => (segment.length > 60 ? `${segment.slice(0, 57)}…` : segment)).join('/')}`;
  return `${method} ${path.length > 200 ? `${path.slice(0, 197)}…` : path}`;
}

function readName(product: ClusterIdentity['product']): string {
  return product === 'opensearch' ? 'OpenSearch' : product === 'elasticsearch' ? 'Elasticsearch' : 'a cluster of version';
}

/** A part of the requested path, and the words of the table that it may be a misspelling of. */
interface Wanted {
  readonly segment: string;
  readonly slips: readonly string[];
}

const words = new Set(
  routes.flatMap(({ template }) => template.parts.flatMap((part) => ('literal' in part ? part.literal : []))),
);

/** The route as a caller writes it. */
function formatRoute({ method, template }: Route): string {
  return `${method} ${formatTemplate(template)}`;
}

/** More than any path of the table has, with what may be too much in it. */
const maxParts = 10;

/** Finds the nearest routes that are allowed, comparing part by part, so that a path is near to one that differs in a word. */
function nearestRoutes(method: string, segments: readonly string[], identity: ClusterIdentity): readonly string[] {
  if (segments.length > maxParts) return [];
  const wanted = segments.map((segment) => ({ segment, slips: words.has(segment) ? [] : nearestNames(segment, words, 4) }));
  const limit = Math.min(1.3, 0.75 * segments.length);
  const ranked = routes
    .filter((route) => isClose(route.template, segments) && (route.method !== 'HEAD' || method === 'HEAD'))
    .filter(({ ranges }) => identity.major === undefined || isThere(ranges, identity))
    .map((route) => ({ route, cost: computeCost(route.template, wanted) + (route.method === method ? 0 : 0.2) }))
    .filter(({ cost }) => cost < limit)
    .map(({ route, cost }) => ({ name: formatRoute(route), cost }))
    .sort((a, b) => a.cost - b.cost || (a.name < b.name ? -1 : 1));
  return [...new Set(ranked.map(({ name }) => name))].slice(0, 2);
}

/** A route may have one part more or less, and is near to nothing without a word in its path. */
function isClose({ parts }: Template, segments: readonly string[]): boolean {
  return Math.abs(parts.length - segments.length) <= 1 && parts.some((part) => 'literal' in part);
}

/** Counts the parts that have to be inserted, removed or changed; similar parts cost less. */
function computeCost({ parts }: Template, wanted: readonly Wanted[]): number {
  let last = Array.from({ length: wanted.length + 1 }, (_, at) => at);
  for (const [row, part] of parts.entries()) {
    const costs = [row + 1];
    for (const [at, segment] of wanted.entries()) {
      const replaced = (last[at] ?? 0) + difference('literal' in part ? part.literal : undefined, segment);
      costs.push(Math.min(replaced, (last[at + 1] ?? 0) + 1, (costs[at] ?? 0) + 1));
    }
    last = costs;
  }
  return last[wanted.length] ?? 0;
}

/** A slot may hold a name, but a word that begins with _ is meant as a word. */
function difference(literal: string | undefined, { segment, slips }: Wanted): number {
  if (literal === undefined) return segment.startsWith('_') && segment !== '_all' ? 1 : 0.1;
  if (literal === segment) return 0;
  return slips.includes(literal) ? 0.4 : 1.2;
}
