import { nearestNames } from '@dbmole/core';
import type { ClusterIdentity } from '../call/cluster-request.ts';
import { type Route, routes } from './route-table.ts';
import { formatTemplate, type Template } from './route-template.ts';
import { isThere } from './route-versions.ts';

/** A part of the path that was asked for, and the words of the table that it may be a slip of. */
interface Wanted {
  readonly segment: string;
  readonly slips: readonly string[];
}

const words = new Set(
  routes.flatMap(({ template }) => template.parts.flatMap((part) => ('literal' in part ? part.literal : []))),
);

/** The route as a caller writes it. */
export function formatRoute({ method, template }: Route): string {
  return `${method} ${formatTemplate(template)}`;
}

/** More than any path of the table has, with what may be too much in it. */
const maxParts = 10;

/** Finds the nearest routes that are allowed, comparing part by part, so that a path is near to one that differs in a word. */
export function nearestRoutes(method: string, segments: readonly string[], identity: ClusterIdentity): readonly string[] {
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

/** A route may have one part more or less. */
function isClose({ parts }: Template, segments: readonly string[]): boolean {
  return Math.abs(parts.length - segments.length) <= 1;
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

/** A name may stand in a slot, but a word that begins with _ is meant as a word. */
function difference(literal: string | undefined, { segment, slips }: Wanted): number {
  if (literal === undefined) return segment.startsWith('_') && segment !== '_all' ? 1 : 0.1;
  if (literal === segment) return 0;
  return slips.includes(literal) ? 0.4 : 1.2;
}
