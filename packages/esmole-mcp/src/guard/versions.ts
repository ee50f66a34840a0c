import type { ClusterIdentity } from '../request.ts';

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
    // From 8 on there are no free builds, and no route that takes any path for a document.
    const isMissing = range.isExtra && major < 8 && flavour !== 'default';
    return !isMissing && range.product === product && !isBefore(version, range.from) && !isBefore(range.until, version);
  });
}

export function formatWhere(where: Where): string {
  return where
    .replaceAll(/\b(?:es|xp) /g, 'Elasticsearch ')
    .replaceAll(/\bos /g, 'OpenSearch ')
    .replaceAll(/([\d.]{1,9})\+/g, '$1 and later')
    .replaceAll(/([\d.]{1,9})-([\d.]{1,9})/g, '$1 to $2');
}

function isBefore([major, minor]: readonly [number, number], [otherMajor, otherMinor]: readonly [number, number]): boolean {
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

function parseVersion(text: string, missing: number): readonly [number, number] {
  const [major = '', minor = ''] = text.split('.');
  return [major === '' ? missing : Number(major), minor === '' ? missing : Number(minor)];
}
