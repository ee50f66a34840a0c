import { Failure } from '@dbmole/core';
import type { ClusterIdentity } from '../call/cluster-request.ts';

interface RefusalText {
  reason: string;
  /** What would make it available. */
  remedy: string;
}

/** The narrowest that grant reading, in the order in which a person should be told of them. */
const narrowest = ['monitor', 'view_index_metadata', 'read', 'read_ilm', 'monitor_snapshot'];

/** Why something cannot be seen, and the exact privilege that shows it; undefined for any other error. */
export function describeRefusal(error: unknown, { product }: Pick<ClusterIdentity, 'product'>): RefusalText | undefined {
  if (!(error instanceof Failure)) return undefined;
  if (error.code === 'E_INDEX_REFUSED') {
    return {
      reason: 'it covers all indices, and this connection may read only some',
      remedy: 'A person can remove `indices` from the connection.',
    };
  }
  if (error.code !== 'E_FORBIDDEN') return undefined;
  const [, kind, list] = /granted by the (cluster|index) privileges \[([\w, ]+)\]/.exec(error.message) ?? [];
  if (kind !== undefined && list !== undefined) {
    const granting = list.split(',').map((name) => name.trim());
    const privilege = narrowest.find((name) => granting.includes(name)) ?? granting[0] ?? '';
    return { reason: `the user lacks the ${kind} privilege ${privilege}`, remedy: formatGrant(kind, [privilege]) };
  }
  const [, action = ''] = /\[((?:cluster|indices):[\w/:*.-]+)\]/.exec(error.message) ?? [];
  if (error.message.includes('cluster_block_exception')) {
    return { reason: error.message, remedy: 'diagnose check=locks without an index names the blocks.' };
  }
  if (product !== 'opensearch' || action === '') {
    return { reason: error.message, remedy: 'An administrator of the cluster can grant it to a role of this user.' };
  }
  return {
    reason: `the user lacks the permission ${action}`,
    remedy: 'An administrator can add it to a role of this user: PUT /_plugins/_security/api/roles/NAME.',
  };
}

/** A sentence for a person: the part of a role, and the privileges to put into it. */
export function formatGrant(kind: string, privileges: readonly string[]): string {
  const part = kind === 'cluster' ? '"cluster"' : '"indices"';
  const them = privileges.length === 1 ? `${privileges[0]}` : privileges.join(', ');
  return `An administrator can add ${them} to ${part} of a role of this user: PUT /_security/role/NAME.`;
}
