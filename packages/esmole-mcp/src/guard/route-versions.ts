import type { ClusterIdentity } from '../call/cluster-request.ts';

/**
 * `es 7.10-8, os 2.4+`: from that version on, up to that one; a product that is not named does not have it. `xp` is Elasticsearch
 * with all that does not belong to its free core.
 */
export type Where = string;

export interface Range {
  readonly product: ClusterIdentity['product'];
  readonly from: readonly [major: number, minor: number];
  readonly until: readonly [major: number, minor: number];
  readonly isExtra: boolean;
}

const products = { es: 'elasticsearch', xp: 'elasticsearch', os: 'opensearch' } as const;

export function parseWhere(where: Where): readonly Range[] {
  return where.split(', ').map((text) => {
    const [, product, from = '', end = ''] = /^(es|xp|os) ([\d.]+)(\+|-[\d.]+)$/.exec(text) ?? [];
    if (product !== 'es' && product !== 'xp' && product !== 'os') throw new TypeError(`"${text}" is no version of the table`);
    const until = parseVersion(end.slice(1), Infinity);
    return { product: products[product], from: parseVersion(from, 0), until, isExtra: product === 'xp' };
  });
}

/**
 * Whether the cluster surely has it. What is unknown of it counts as no: on a version without the route, the same path may lead
 * to one that writes.
 */
export function isThere(ranges: readonly Range[] | undefined, { product, major, minor, flavour }: ClusterIdentity): boolean {
  if (ranges === undefined) return true;
  if (major === undefined) return false;
  const version = [major, minor ?? 0] as const;
  return ranges.some((range) => {
    // Since version 8 there are no builds without x-pack, and no route that takes any path for a document.
    const isMissing = range.isExtra && major < 8 && flavour !== 'default';
    return !isMissing && range.product === product && !isBefore(version, range.from) && !isBefore(range.until, version);
  });
}

/** The versions that have it, as far as a caller has to know: of two ranges of one product, the wider one. */
export function formatWhere(where: Where): string {
  const ranges = where.split(', ').map((text) => text.replace(/^(?:es|xp) /, 'Elasticsearch ').replace(/^os /, 'OpenSearch '));
  const products = new Map(ranges.toReversed().map((text) => [text.split(' ')[0], text]));
  return [...products.values()]
    .toReversed()
    .map((text) =>
      text
        .replace('+', ' or later')
        .replace(/ (\d+)\.0-\1$/, ' $1.x')
        .replace('-', ' to '),
    )
    .join(', or ');
}

/** Whether the version has it, and only a build of Elasticsearch without its commercial modules does not. */
export function needsDefaultBuild(ranges: readonly Range[] | undefined, identity: ClusterIdentity): boolean {
  return !isThere(ranges, identity) && isThere(ranges, { ...identity, flavour: 'default' });
}

function isBefore([major, minor]: readonly [number, number], [otherMajor, otherMinor]: readonly [number, number]): boolean {
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

function parseVersion(text: string, missing: number): readonly [number, number] {
  const [major = '', minor = ''] = text.split('.');
  return [major === '' ? missing : Number(major), minor === '' ? missing : Number(minor)];
}
