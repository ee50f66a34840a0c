import { type Backend, type BackendTarget, listColumnLayers, listPolicies } from '@dbmole/core';
import type { Answer, AnswerLimits } from './answer/answer.ts';
import type { ClusterIdentity, ReadRequest, WriteRequest } from './call/cluster-request.ts';
import type { Connection } from './connection/schema.ts';
import { readCostPolicy } from './cost/cost-policy.ts';
import type { IndexRules } from './guard/index-names.ts';
import type { FieldPolicy } from './policy/field-policy.ts';

export interface SendOptions {
  /** Ends the request in the cluster too. */
  signal: AbortSignal;
  limits?: AnswerLimits;
  /** Sent with the request, so that it can be recognized in the cluster. */
  headers?: Readonly<Record<string, string>>;
}

export type Send = (request: ReadRequest | WriteRequest, options: SendOptions) => Promise<Answer>;

/** A cluster, reached. */
export interface ClusterBackend extends Backend {
  /** The rules of the guard: which indices may be read, and whether secrets may; `readonly` is false where a tool may write. */
  readonly rules: IndexRules & { readonly readonly: boolean; readonly sensitive: boolean };
  /** What a person protects of the documents; undefined for nothing. */
  readonly fields: FieldPolicy | undefined;
  /** Warnings about the connection, for a person. */
  readonly cautions: readonly string[];
  /**
   * Never throws on a status, but for a login that was good before and is refused now (`isOutdatedLogin`). When a connection is lost,
   * a read goes to another node, or again to the same; a write never does: when it may have arrived and no answer came, the
   * failure is `E_OUTCOME_UNKNOWN`.
   */
  send: Send;
  /** Identifies the cluster once. Properties that cannot be found out are undefined; only a cancelled call throws. */
  identify(signal: AbortSignal): Promise<ClusterIdentity>;
  /**
   * Asks the cluster now, and throws why it cannot be used: nothing answers, what answers is not a cluster, or it refuses this
   * user.
   */
  probe(signal: AbortSignal): Promise<ClusterIdentity>;
  /** The cluster has refused its login. */
  isSpent(): boolean;
}

/** The HTTP client is loaded when the first connection is opened, never at start. */
export async function createBackend(
  target: BackendTarget<Connection>,
  _signal?: AbortSignal,
  { folder }: { folder?: string } = {},
): Promise<ClusterBackend> {
  const [
    { openClient },
    { createIdentifier },
    { withOutdatedLogin },
    { withOwnCursors },
    { mayReadAll },
    { intersectLists },
    { findCautions },
  ] = await Promise.all([
    import('./http/client.ts'),
    import('./call/identify.ts'),
    import('./call/outdated-login.ts'),
    import('./call/own-cursors.ts'),
    import('./guard/body/index-mentions.ts'),
    import('./guard/index-names.ts'),
    import('./audit.ts'),
  ]);
  const client = openClient(target);
  const { systemIndices, sensitive, models, readonly } = target.config;
  // Anything but a plain false counts as read-only.
  const rules = {
    indices: intersectLists(listPolicies(target.config).map(({ indices }) => indices)),
    systemIndices: systemIndices === true,
    sensitive: sensitive === true,
    models: models === true,
    readonly: readonly !== false,
  };
  const refusable = withOutdatedLogin(client.send);
  const fields = await openFields(target.config, folder);
  const isOpen = mayReadAll(rules) && fields === undefined;
  const identifier = createIdentifier(refusable.send);
  const own = isOpen ? refusable.send : withOwnCursors(refusable.send);
  const send = await limitCost(target.config, { ...identifier, send: own, rules });
  return { ...client, ...refusable, ...identifier, send, rules, fields, cautions: findCautions(target) };
}

async function limitCost(config: Connection, inner: Pick<ClusterBackend, 'send' | 'identify' | 'rules'>): Promise<Send> {
  const policy = readCostPolicy(config);
  return policy === undefined ? inner.send : (await import('./cost/with-cost.ts')).withCost(policy, inner);
}

/** What applies the policy is loaded for a connection that has one. */
async function openFields(config: Connection, folder: string | undefined): Promise<FieldPolicy | undefined> {
  if (listColumnLayers(config) === undefined) return undefined;
  return await (await import('./policy/field-policy.ts')).openFieldPolicy(config, folder);
}
