import { Failure, nearestNames } from '@dbmole/core';
import type { ClusterIdentity } from '../request.ts';
import type { GuardContext } from './guard.ts';
import { formatRoute, nearestRoutes } from './nearest.ts';
import type { ParamProblem } from './params.ts';
import { findReason } from './reasons.ts';
import type { Route } from './table.ts';
import { formatWhere } from './versions.ts';

const code = 'E_NOT_A_READ';

/** It is in no line of the table. */
export function unknownFailure(method: string, segments: readonly string[], context: GuardContext): Failure {
  const reason = findReason(method, segments);
  const why = reason?.why ?? (changes(method) ? `${method} changes what is there` : 'it is not on the list of what only reads');
  const nearest = reason === undefined ? nearestRoutes(method, segments, context.identity) : [reason.instead ?? []].flat();
  return new Failure('refused', `${formatRequest(method, segments)} is refused: ${why}`, {
    code,
    hint: formatNext(context),
    nearest,
  });
}

/** The path is in the table, and the method is another. */
export function methodFailure(
  method: string,
  segments: readonly string[],
  routes: readonly Route[],
  context: GuardContext,
): Failure {
  const isChange = changes(method) || method === 'POST';
  const why = isChange
    ? (findReason(method, segments)?.why ?? `${method} changes what is there`)
    : `${method} is no method of it`;
  return new Failure('refused', `${formatRequest(method, segments)} is refused: ${why}`, {
    code,
    hint: formatNext(context),
    nearest: [...new Set(routes.map(formatRoute))].slice(0, 2),
  });
}

export function versionFailure(route: Route, { product, version, flavour }: ClusterIdentity, others: readonly Route[]): Failure {
  const where = route.line.where === undefined ? '' : formatWhere(route.line.where);
  const build = flavour === 'default' ? '' : `, build flavour ${flavour ?? 'unknown'}`;
  const here =
    version === undefined ? 'which version this cluster has is not known' : `this is ${nameOf(product)} ${version}${build}`;
  return new Failure('refused', `${formatRoute(route)} is of ${where}, and ${here}`, {
    code,
    hint: 'Elsewhere the same path may lead to something that writes, so it is not sent.',
    nearest: others.map(formatRoute),
  });
}

export function paramFailure(route: Route, { name, problem, known }: ParamProblem): Failure {
  const isKnown = known.includes(name);
  const some = known.length > 12 ? `${known.slice(0, 10).join(', ')} and ${known.length - 10} more` : known.join(', ');
  return new Failure('refused', `${formatRoute(route)} ${problem}`, {
    code,
    hint: isKnown
      ? (unallowed.get(name) ?? 'Change it, or leave it out.')
      : (unwanted.get(name) ?? `Leave it out. It takes ${some}.`),
    nearest: isKnown ? [] : nearestNames(name, known),
  });
}

/** Parameters that are known, and that no read takes. */
const unwanted: ReadonlyMap<string, string> = new Map([
  ['source', 'Send it as the body.'],
  ['source_content_type', 'Send `source` as the body.'],
  ['index', 'Name indices in the path.'],
  ['refresh', 'Leave it out: it makes the cluster refresh the index.'],
  ['search_pipeline', 'Leave it out: what a pipeline does is not known.'],
  ['pipeline', 'Leave it out: what a pipeline does is not known.'],
  ['wait_for_completion', 'Leave it out: what does not wait leaves a task.'],
  ['detailed', 'Leave it out: it shows what others ask.'],
]);

/** Of those that a read takes, with another value. */
const unallowed: ReadonlyMap<string, string> = new Map([
  ['expand_wildcards', 'Leave it out. A person can allow hidden indices with "systemIndices": true; a tool cannot.'],
]);

/** With a list of allowed indices. */
export function wholeFailure(route: Route, param?: string): Failure {
  const what = param === undefined ? formatRoute(route) : `${formatRoute(route)} with ${param}`;
  return new Failure('refused', `${what} tells of all indices, and this connection may read some only`, {
    code: 'E_INDEX_REFUSED',
    hint: `${param === undefined ? 'Ask' : `Leave ${param} out, or ask`} for what has an index in its path.`,
  });
}

/** A POST may be one or the other. */
function changes(method: string): boolean {
  return ['PUT', 'DELETE', 'PATCH'].includes(method);
}

function formatNext({ readonly }: GuardContext): string {
  return readonly === false
    ? 'Use es_request, on a connection that is not readonly.'
    : 'The connection is readonly, and only a person can change that.';
}

/** Long names are cut: the words of the path are what matters. */
function formatRequest(method: string, segments: readonly string[]): string {
  const path = `/${segments.map((segment) => (segment.length > 60 ? `${segment.slice(0, 57)}…` : segment)).join('/')}`;
  return `${method} ${path.length > 200 ? `${path.slice(0, 197)}…` : path}`;
}

function nameOf(product: ClusterIdentity['product']): string {
  return product === 'opensearch' ? 'OpenSearch' : product === 'elasticsearch' ? 'Elasticsearch' : 'a cluster of version';
}
