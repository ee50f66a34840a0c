import type { Answer } from '../answer/answer.ts';
import { valueAt } from '../call/answer-failure.ts';
import type { AskedRequest } from '../call/cluster-request.ts';

const indexPrivileges = ['monitor', 'view_index_metadata', 'read'] as const;
export type IndexPrivilege = (typeof indexPrivileges)[number];

/** What the user of a secured cluster may do. */
export interface Access {
  /** Has the cluster privilege `monitor`. */
  seesCluster: boolean;
  /** The privileges that it lacks on some of the indices that were asked for. */
  lacking: readonly IndexPrivilege[];
  /** The names that were asked for. */
  names: readonly string[];
}

/** Undefined where the cluster does not say. */
export async function readAccess(
  ask: (request: AskedRequest) => Promise<Answer>,
  indices: string | readonly string[] | undefined,
): Promise<Access | undefined> {
  const names = typeof indices === 'string' ? indices.split(',') : (indices ?? ['*']);
  const body = { cluster: ['monitor'], index: [{ names, privileges: indexPrivileges }] };
  try {
    // A POST would be refused where the version is unknown, as it is to some users.
    const { status, json } = await ask({ method: 'GET', path: '/_security/user/_has_privileges', body });
    if (status !== 200) return undefined;
    const lacks = (privilege: IndexPrivilege) => names.some((name) => valueAt(json, ['index', name, privilege]) === false);
    return { seesCluster: valueAt(json, ['cluster', 'monitor']) !== false, lacking: indexPrivileges.filter(lacks), names };
  } catch {
    return undefined;
  }
}

/** A wildcard finds only the indices on which the user has a privilege, and says nothing of the others. */
export function formatLacking(access: Access | undefined, needed: readonly IndexPrivilege[]): string | undefined {
  const lacking = needed.filter((privilege) => access?.lacking.includes(privilege));
  if (access === undefined || lacking.length === 0) return undefined;
  return `Only indices on which this user has ${lacking.join(' and ')} are seen; a role with ${lacking.join(' and ')} on ${access.names.join(',')} shows all.`;
}
