import { Failure } from '@dbmole/core';
import {
  acceptRead,
  type ClusterIdentity,
  type ClusterRequest,
  type DocumentRead,
  parseTarget,
  type ReadRequest,
} from '../call/cluster-request.ts';
import { checkBody, readsPointInTime } from './body/body.ts';
import { mayReadAll } from './body/index-mentions.ts';
import { type Depth, everythingVisible, type IndexRules, narrowNames } from './index-names.ts';
import { findParamProblem } from './params.ts';
import { methodFailure, paramFailure, sensitiveFailure, unknownFailure, versionFailure, wholeFailure } from './refusal.ts';
import { checkBodySize, checkTargetSize } from './request-size.ts';
import { type Route, routesByLength } from './route-table.ts';
import { matches } from './route-template.ts';
import { isThere } from './route-versions.ts';

/** The connection and cluster that decide whether a request is a read. */
export interface GuardContext extends IndexRules {
  readonly identity: ClusterIdentity;
  /** False where es_request would let the caller write: the refusal says so. */
  readonly readonly?: boolean;
  /** Whether a person lets the caller see what may hold secrets. */
  readonly sensitive?: boolean;
}

/**
 * Finds the line of the table that the request is, and makes sure that parameters, body and indices are such as the line allows.
 * The returned request may be narrower than the given one: indices that the connection may not read are left out of `*`. Throws a
 * `refused` Failure, `E_NOT_A_READ` or `E_INDEX_REFUSED`, that says why and what is allowed instead.
 */
export function guardRequest(request: ClusterRequest, context: GuardContext): ReadRequest {
  checkTargetSize(request);
  const { method, body } = request;
  const { segments, params: given } = parseTarget(request);
  const route = findRoute(method, segments, context);
  const { line, template } = route;
  const problem = findParamProblem(given, line.params ?? '', seesHidden(route, context));
  if (problem !== undefined) throw paramFailure(route, problem);
  const telling = line.telling?.split(' ').find((name) => given.has(name));
  const tellsAll = line.tells === 'everywhere' || telling !== undefined;
  if (tellsAll && context.indices !== undefined) throw wholeFailure(route, telling);
  if (line.sensitive !== undefined && !seesSecrets(context)) throw sensitiveFailure(route, line.sensitive);
  const added = new Map([...Object.entries(line.adds ?? {}), ...given]);
  const params = withHidden(added, route, context);
  const { product } = context.identity;
  checkBodySize(body, { isSample: line.body === 'text' });
  checkBody(line.body, body, { rules: context, hasIndex: template.indexAt !== undefined, product });
  // A point in time has indices of its own, and the path then may not have any.
  if (segments.join('/') === '_search' && readsPointInTime(line.body, body))
    return acceptRead({ method, body, params, segments, reads: findDocuments(route, segments) });
  const narrowed = narrowSegments(segments, route, context);
  const isLoosened = line.isStrict && narrowed.some((segment) => segment.includes(everythingVisible));
  const reads = findDocuments(route, narrowed);
  return acceptRead({ method, body, segments: narrowed, params: isLoosened ? loosened(params) : params, reads });
}

/** Requests that tell nothing of indices by themselves, and continue one that does, or run with documents. */
const continuing = /scroll|async|_eql|_simulate/;

function findDocuments({ template, line }: Route, segments: readonly string[]): DocumentRead | undefined {
  const words = template.parts.flatMap((part) => ('literal' in part ? part.literal : [])).join('/');
  if (line.tells !== 'documents' && !continuing.test(words)) return undefined;
  const at = template.indexAt ?? template.insertAt;
  const name = at === undefined ? undefined : segments[at];
  return { words, names: name?.startsWith('_') === true ? undefined : name };
}

/**
 * The path of what is a read by its path, and was refused as one for something else: its indices are narrowed anyway. Throws
 * `E_INDEX_REFUSED` when the path or the body names others.
 */
export function narrowRefused(
  { method, body }: Pick<ClusterRequest, 'method' | 'body'>,
  segments: readonly string[],
  context: GuardContext,
): readonly string[] {
  const known = routesByLength
    .get(segments.length)
    ?.find((route) => route.method === method && matches(route.template, segments));
  if (known === undefined) return segments;
  const { product } = context.identity;
  const hasIndex = known.template.indexAt !== undefined;
  onlyIndices(() => checkBody(known.line.body, body, { rules: context, hasIndex, product }));
  return narrowSegments(segments, known, context);
}

/** Passes over all that is refused for another reason than its indices. */
export function onlyIndices(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'E_NOT_A_READ') throw error;
  }
}

/** A connection that can overwrite secrets may show them as well. */
function seesSecrets({ sensitive, readonly, indices }: GuardContext): boolean {
  return sensitive === true || (readonly === false && indices === undefined);
}

function seesHidden({ line }: Route, { systemIndices, indices }: GuardContext): boolean {
  return systemIndices || (line.mayListHidden === true && indices === undefined);
}

/** This also applies where the caller asks for exactly that: hiding has precedence. */
function withHidden(params: ReadonlyMap<string, string>, { line }: Route, rules: IndexRules): ReadonlyMap<string, string> {
  const requests = mayReadAll(rules) ? [] : (line.hides?.requests ?? []);
  const names = rules.indices === undefined ? [] : (line.hides?.names ?? []);
  const asked = params.get('filter_path')?.split(',') ?? [];
  const hidden = [...requests, ...names].filter((path) => !asked.includes(path));
  return hidden.length === 0 ? params : new Map([...params, ['filter_path', [...asked, ...hidden].join(',')]]);
}

/** Hidden indices are excluded by several patterns, some of which may find nothing. */
function loosened(params: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([['allow_no_indices', 'true'], ...params]);
}

/** A cluster without the route may take the same path for one that writes, so what is unknown of it counts as missing. */
function findRoute(method: string, segments: readonly string[], context: GuardContext): Route {
  const fitting = (routesByLength.get(segments.length) ?? []).filter(({ template }) => matches(template, segments));
  const found = fitting.filter((route) => route.method === method);
  if (found[0] === undefined)
    throw fitting.length > 0 ? methodFailure(method, segments, fitting, context) : unknownFailure(method, segments, context);
  const there = found.find(({ ranges }) => isUsable(ranges, method, context.identity));
  if (there !== undefined) return there;
  const others = fitting.filter((route) => isUsable(route.ranges, route.method, context.identity));
  throw versionFailure(found[0], context.identity, others);
}

/** No version writes on a GET of the table, so a GET is refused only where the route is known to be missing. */
function isUsable(ranges: Route['ranges'], method: string, identity: ClusterIdentity): boolean {
  if (method !== 'GET' && method !== 'HEAD') return isThere(ranges, identity);
  return identity.major === undefined || isThere(ranges, { ...identity, flavour: identity.flavour ?? 'default' });
}

function narrowSegments(segments: readonly string[], { template, line }: Route, rules: IndexRules): readonly string[] {
  const depth: Depth = line.tells === 'documents' ? 'documents' : 'descriptions';
  const { indexAt, insertAt } = template;
  if (indexAt !== undefined) return segments.with(indexAt, narrowNames(segments[indexAt], rules, depth) ?? '');
  const names = insertAt === undefined ? undefined : narrowNames(undefined, rules, depth);
  return names === undefined || insertAt === undefined ? segments : segments.toSpliced(insertAt, 0, names);
}
