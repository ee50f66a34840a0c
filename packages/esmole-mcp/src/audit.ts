import { type Audit, type BackendTarget, describePassword, isLocalHost } from '@dbmole/core';
import type { Answer } from './answer/answer.ts';
import type { ClusterBackend } from './backend.ts';
import { valueAt } from './call/answer-failure.ts';
import { ownRead } from './call/cluster-request.ts';
import { quoteRemoteName } from './call/quote-remote-text.ts';
import type { Connection } from './connection/schema.ts';

/** Privileges that only read; all others count as powers. */
const reading = /^(?:none|read|read_.*|monitor|monitor_.*|view_index_metadata|transport_client|manage_own_api_key)$/;
const maxShown = 6;

/** A role that a person can create in Kibana or with curl. */
const reader = [
  'POST /_security/api_key',
  '{"name": "esmole", "role_descriptors": {"esmole": {"cluster": ["monitor"], "indices": [{"names": ["*"], "privileges": ["read", "view_index_metadata", "monitor"]}]}}}',
];

/** Warnings about the connection to the cluster itself. */
export function findCautions({ config, dial }: Pick<BackendTarget<Connection>, 'config' | 'dial'>): string[] {
  const { scheme, verifyTls, caFingerprint, host, password, auth, kibana } = config;
  const isAway = dial === undefined && !isLocalHost(host);
  const isClear = scheme === 'http' && auth !== 'none' && isAway;
  const isUnchecked = scheme !== 'http' && verifyTls === false && caFingerprint === undefined;
  return [
    ...(kibana === undefined
      ? []
      : ['through Kibana: what is cancelled goes on in the cluster, and it stops waiting after 60 s']),
    ...(auth === 'none' && isAway ? ['warning: it requires no login, so anyone who can reach it can do the same'] : []),
    ...(isClear ? ['warning: without TLS, the password or key is sent unencrypted'] : []),
    ...(isUnchecked
      ? ['warning: its certificate is not checked (verifyTls: false), so anyone in the middle can read the password and the data']
      : []),
    ...describePassword(password),
  ];
}

/** Reports the powers of this user beyond reading. */
export async function audit(backend: ClusterBackend, signal: AbortSignal): Promise<Audit> {
  const ask = (path: string) => backend.send(ownRead(path), { signal });
  const [user, privileges] = await Promise.all([ask('/_security/_authenticate'), ask('/_security/user/_privileges')]);
  const powers = privileges.status === 200 ? findPowers(user, privileges) : undefined;
  if (powers === undefined) return { findings: [formatUnknown(privileges)], reader: [], shared: [] };
  if (powers.length === 0) return { findings: ['It can only read.'], reader: [], shared: [] };
  const rest = powers.length - maxShown;
  const shown = [...powers.slice(0, maxShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return { findings: [`This user can also: ${shown.join('; ')}.`], reader, shared: [] };
}

/** A cluster without security does not have this request. */
function formatUnknown({ status }: Answer): string {
  return status === 400 || status === 404 || status === 405
    ? 'The cluster reports no security: anyone who reaches it may be able to write.'
    : 'This user may not see its own privileges.';
}

function findPowers(user: Answer, { json }: Answer): string[] {
  const roles = listAt(user.json, 'roles');
  if (roles.includes('superuser')) return ['do anything (role superuser)'];
  const cluster = listAt(json, 'cluster').filter((name) => !reading.test(name));
  const runAs = listAt(json, 'run_as');
  return [
    ...(cluster.length === 0 ? [] : [`use the cluster privileges ${cluster.map(quoteRemoteName).join(', ')}`]),
    ...objectsAt(json, 'indices').flatMap(formatIndices),
    ...(runAs.length === 0 ? [] : [`act as ${runAs.map(quoteRemoteName).join(', ')}`]),
  ];
}

function formatIndices(grant: unknown): string[] {
  const privileges = listAt(grant, 'privileges').filter((name) => !reading.test(name));
  const isRestricted = valueAt(grant, ['allow_restricted_indices']) === true;
  const names = listAt(grant, 'names').map(quoteRemoteName).join(', ');
  return [
    ...(privileges.length === 0 ? [] : [`use ${privileges.map(quoteRemoteName).join(', ')} on ${names}`]),
    ...(isRestricted ? [`read the indices of the cluster itself below ${names}`] : []),
  ];
}

function listAt(json: unknown, key: string): string[] {
  return objectsAt(json, key).filter((one) => typeof one === 'string');
}

function objectsAt(json: unknown, key: string): readonly unknown[] {
  const found = valueAt(json, [key]);
  return Array.isArray(found) ? found : [];
}
