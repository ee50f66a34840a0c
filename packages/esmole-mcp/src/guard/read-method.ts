import { type ClusterIdentity, parseTarget } from '../call/cluster-request.ts';
import type { Method } from '../call/path.ts';
import { routesByLength } from './route-table.ts';
import { matches } from './route-template.ts';
import { isThere } from './route-versions.ts';

const readMethods: readonly Method[] = ['GET', 'POST', 'HEAD'];

/**
 * The method by which a request reads, and the path without a method in front, as documentation writes it. A request with a body is sent
 * as POST where the route takes it, because some proxies drop the body of a GET. The guard decides whether it is a read.
 */
export function chooseReadMethod(
  { path, body }: { path: string; body?: unknown },
  identity: ClusterIdentity,
): { method: Method; path: string } {
  const [, word = '', rest = ''] = /^([A-Za-z]{3,4}) +(\S.*)$/s.exec(path) ?? [];
  const given = readMethods.find((method) => method === word.toUpperCase());
  if (given !== undefined) return { method: given, path: rest };
  const { segments } = parseTarget({ path, params: {} });
  const known = (routesByLength.get(segments.length) ?? []).filter(
    ({ template, ranges }) => matches(template, segments) && isThere(ranges, identity),
  );
  const takes = (method: Method) => known.some((route) => route.method === method);
  const takesPost = takes('POST') && (body !== undefined || !takes('GET'));
  return { method: takesPost ? 'POST' : 'GET', path };
}
