import { Failure, untilAborted } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import type { ClusterBackend, Send } from '../backend.ts';
import { answerFailure, textAt, valueAt } from './answer-failure.ts';
import { type ClusterIdentity, ownRead } from './cluster-request.ts';

export const unknownCluster: ClusterIdentity = {
  product: 'unknown',
  version: undefined,
  major: undefined,
  minor: undefined,
  flavour: undefined,
  clusterName: undefined,
};

/** A call waits no longer than this for the identity of the cluster. */
const patienceMs = 5_000;
/** Clusters are upgraded while they are in use. */
const freshForMs = 10 * 60_000;

/** Statuses of a cluster that answers and does not identify itself, to this user or at all. */
const reticent = new Set([400, 403, 404, 405]);

/** After these, the call that asked would get nothing either. */
const fatal: ReadonlySet<string> = new Set(['connection', 'tunnel', 'config', 'secret']);

/** Identifies the cluster. Every call needs this, so it is found out once, by one request at a time. */
export function createIdentifier(send: Send): Pick<ClusterBackend, 'identify' | 'probe'> {
  let known: { identity: ClusterIdentity; until: number } | undefined;
  let running: Promise<ClusterIdentity> | undefined;
  const probe = async (signal: AbortSignal) => {
    const identity = await findIdentity(send, signal);
    known = { identity, until: performance.now() + freshForMs };
    return identity;
  };
  /** This has a time limit of its own: the call that started it may be cancelled while others wait for it. */
  const ask = () => {
    running ??= probe(AbortSignal.timeout(patienceMs))
      .catch(unknownUnlessFatal)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  return {
    probe,
    async identify(signal) {
      const isKnown = known !== undefined && performance.now() < known.until;
      return isKnown && known !== undefined ? known.identity : await untilAborted(ask(), signal);
    },
  };
}

function unknownUnlessFatal(error: unknown): ClusterIdentity {
  if (error instanceof Failure && fatal.has(error.kind)) throw error;
  return unknownCluster;
}

async function findIdentity(send: Send, signal: AbortSignal): Promise<ClusterIdentity> {
  const root = await send(ownRead('/'), { signal });
  if (root.status === 200) return parseRoot(root);
  if (reticent.has(root.status) && isFromCluster(root)) return await askNodes(root, send, signal);
  throw isFromCluster(root) || root.status !== 404 ? (answerFailure(root) ?? notCluster()) : notCluster();
}

/** A role that may not read `/` may be allowed this, and some builds have no `/`. */
async function askNodes(root: Answer, send: Send, signal: AbortSignal): Promise<ClusterIdentity> {
  const nodes = await send(ownRead('/_nodes/_all/os?filter_path=cluster_name,nodes.*.version'), { signal });
  const version = oldestVersion(nodes) ?? warnedVersion(root);
  const clusterName = textAt(nodes.json, ['cluster_name']);
  return describe(root, { version, clusterName, flavour: undefined });
}

function parseRoot(root: Answer): ClusterIdentity {
  const version = textAt(root.json, ['version', 'number']);
  if (version === undefined && root.product === undefined) throw notCluster();
  const flavour = textAt(root.json, ['version', 'build_flavor']);
  return describe(root, { version, flavour, clusterName: textAt(root.json, ['cluster_name']) });
}

function describe(root: Answer, given: Pick<ClusterIdentity, 'version' | 'flavour' | 'clusterName'>): ClusterIdentity {
  const version = toPlain(given.version);
  const found = { ...given, version, flavour: toPlain(given.flavour) };
  const [major, minor] = (found.version ?? '').split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
  return { ...found, major, minor, product: readProduct(root, major) };
}

/** The name is shown without quotes, so anything but a plain word counts as unknown. */
function toPlain(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w.+-]{1,40}$/.test(text) ? text : undefined;
}

/** Elasticsearch names itself in a header, since 7.14; OpenSearch in what `/` says. */
function readProduct(root: Answer, major: number | undefined): ClusterIdentity['product'] {
  if (root.product?.toLowerCase() === 'elasticsearch') return 'elasticsearch';
  if (textAt(root.json, ['version', 'distribution'])?.toLowerCase() === 'opensearch') return 'opensearch';
  if (textAt(root.json, ['tagline']) === 'You Know, for Search') return 'elasticsearch';
  if (major === undefined) return 'unknown';
  // OpenSearch started at version 1, and no Elasticsearch older than 5 is still in use.
  return major < 5 ? 'opensearch' : 'elasticsearch';
}

/** During an upgrade there are two versions; a request may reach the older one. */
function oldestVersion(nodes: Answer): string | undefined {
  const found = valueAt(nodes.json, ['nodes']);
  if (typeof found !== 'object' || found === null) return undefined;
  const versions = Object.values(found).flatMap((node) => textAt(node, ['version']) ?? []);
  return versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))[0];
}

/** A warning begins with who warns. */
function warnedVersion({ warnedBy }: Answer): string | undefined {
  return warnedBy === undefined ? undefined : /^(?:Elasticsearch|OpenSearch)-(\d+\.\d+\.\d+)/.exec(warnedBy)?.[1];
}

/** Whether the error is written as a cluster writes it; anything that speaks HTTP can answer 404. */
function isFromCluster({ product, json, status }: Answer): boolean {
  return product !== undefined || (valueAt(json, ['error']) !== undefined && valueAt(json, ['status']) === status);
}

function notCluster(): Failure {
  return new Failure('engine', 'the server there is not a cluster', {
    code: 'E_NOT_CLUSTER',
    hint: 'Check host, port and scheme.',
  });
}
