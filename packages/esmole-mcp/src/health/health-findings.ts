import type { CheckReport, Finding } from '@dbmole/core';
import { textAt, valueAt } from '../call/answer-failure.ts';
import { isObject } from '../search/hit-table.ts';
import type { ClusterHealth } from './read-health.ts';

type Problem = ClusterHealth['problems'][number];

const maxTextLength = 240;
const maxReasons = 2;
const maxTasks = 5;
const maxSetupMs = 60_000;

/** The missing shards by what they have in common, the state where they cannot be seen, and the tasks that wait. */
export function reportHealth({ health, problems, pending, missing }: ClusterHealth): CheckReport {
  const lasting = problems.filter((problem) => !isPassing(problem));
  return {
    findings: problems.length > 0 ? lasting.map((problem) => describeProblem(problem, health)) : describeStatus(health),
    listing: pending.slice(0, maxTasks).map((task) => `pending: ${formatTask(task)}`),
    notes: missing,
  };
}

/** A shard that a node has just begun to set up is not missing. */
function isPassing({ state, first }: Problem): boolean {
  return state === 'initializing' && first.since !== undefined && Date.now() - Date.parse(first.since) < maxSetupMs;
}

/** A cluster that is not green, and does not show its shards. */
function describeStatus(health: ClusterHealth['health']): Finding[] {
  const status = textAt(health, ['status']);
  const count = typeof health.unassigned_shards === 'number' ? health.unassigned_shards : 0;
  if (status === 'green' || (status === 'yellow' && count === 0)) return [];
  return [
    {
      severity: status === 'red' ? 'high' : 'medium',
      weight: count,
      evidence: `the cluster is ${status}: ${count} shards are not assigned to a node`,
      consequence: status === 'red' ? lostPrimary : lostReplica,
      next: 'diagnose check=privileges shows what this user cannot see.',
    },
  ];
}

const lostPrimary = 'Searches of these indices lack its documents or fail, and so do writes to it.';
const lostReplica = 'When the node of the other copy fails, the documents are gone; until then reads have fewer copies.';

function describeProblem(problem: Problem, health: ClusterHealth['health']): Finding {
  const { state, isPrimary, reason, shards, first, explanation } = problem;
  const kind = isPrimary ? (shards.length === 1 ? 'primary' : 'primary shards') : shards.length === 1 ? 'replica' : 'replicas';
  const since = first.since === undefined ? '' : ` since ${first.since}`;
  const why = [...(first.details === undefined ? [] : [short(first.details)]), ...listReasons(explanation)].slice(0, maxReasons);
  const isComing = state === 'initializing';
  return {
    severity: isComing ? 'low' : isPrimary ? 'high' : 'medium',
    weight: shards.length,
    evidence: `${shards.length} ${state} ${kind}, ${reason ?? 'no reason given'}${since}, such as ${first.label}[${first.shard}]${why.length === 0 ? '' : `: ${why.join('; ')}`}`,
    consequence: isPrimary ? lostPrimary : lostReplica,
    next: isComing ? `GET /_cat/recovery?active_only=true&v=true shows how far it is.` : findNext(problem, health),
  };
}

/** Each reason once, with the number of nodes that give it. */
function listReasons(explanation: unknown): string[] {
  if (!isObject(explanation)) return [];
  const nodes = valueAt(explanation, ['node_allocation_decisions']);
  const reasons = new Map<string, number>();
  for (const node of Array.isArray(nodes) ? nodes : [])
    for (const reason of readReasons(node)) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const found = [...reasons].map(([reason, count]) => `${reason}${count === 1 ? '' : ` (${count} nodes)`}`);
  if (found.length > 0) return found;
  const general = textAt(explanation, ['allocate_explanation']) ?? textAt(explanation, ['explanation']);
  return general === undefined ? [] : [short(general)];
}

function readReasons(node: unknown): string[] {
  const said = listDeciders(node).map(
    (one) => `${textAt(one, ['decider'])}: ${short(withoutIds(textAt(one, ['explanation']) ?? ''))}`,
  );
  const store = textAt(node, ['store', 'store_exception', 'reason']);
  const isStale = valueAt(node, ['store', 'in_sync']) === false;
  return [...said, ...(store === undefined ? [] : [`store: ${short(store)}`]), ...(isStale ? ['store: its copy is stale'] : [])];
}

function listDeciders(node: unknown): readonly unknown[] {
  const deciders = valueAt(node, ['deciders']);
  return (Array.isArray(deciders) ? deciders : []).filter((one) => textAt(one, ['decision']) !== 'YES');
}

/** The deciders that keep the shard from every node, in the order in which a person has to fix them. */
const steps: readonly (readonly [decider: string, next: (index: string, explanation: string) => string])[] = [
  [
    'enable',
    (index, explanation) =>
      explanation.includes('index setting [')
        ? `PUT /${index}/_settings {"index.routing.allocation.enable":null} allows its allocation again.`
        : 'GET /_cluster/settings shows it; PUT /_cluster/settings {"persistent":{"cluster.routing.allocation.enable":null},"transient":{"cluster.routing.allocation.enable":null}} allows allocation again.',
  ],
  ['max_retry', () => 'Fix the cause, then POST /_cluster/reroute?retry_failed=true.'],
  [
    'filter',
    (index, explanation) => {
      const [, ofCluster] = /cluster setting \[(cluster\.routing\.allocation\.\w+)\]/.exec(explanation) ?? [];
      return ofCluster === undefined
        ? `GET /${index}/_settings/index.routing.allocation.* shows which nodes it wants; name one that exists, or set that to null.`
        : `If no node is to be kept empty: PUT /_cluster/settings {"transient":{"${ofCluster}.*":null},"persistent":{"${ofCluster}.*":null}}`;
    },
  ],
  ['disk_threshold', () => 'diagnose check=settings shows the disks; free some space on them, or add a node.'],
  [
    'shards_limit',
    (index, explanation) => {
      const setting = 'routing.allocation.total_shards_per_node';
      return explanation.includes(`cluster setting [cluster.${setting}`)
        ? `Add a node, or PUT /_cluster/settings {"transient":{"cluster.${setting}":null},"persistent":{"cluster.${setting}":null}}`
        : `Add a node, or PUT /${index}/_settings {"index.${setting}":null}`;
    },
  ],
  ['awareness', () => 'Add a node in the zone that lacks one: GET /_cat/nodeattrs?v=true.'],
];

/** Says whether a setting of the cluster or one of the index decides. */
function findExplanation(explanation: unknown, decider: string): string {
  const decisions = valueAt(explanation, ['node_allocation_decisions']);
  const all = (Array.isArray(decisions) ? decisions : []).flatMap(listDeciders);
  return (
    textAt(
      all.find((one) => textAt(one, ['decider']) === decider),
      ['explanation'],
    ) ?? ''
  );
}

function findNext({ explanation, first, isPrimary }: Problem, health: ClusterHealth['health']): string {
  const decisions = valueAt(explanation, ['node_allocation_decisions']);
  const nodes = (Array.isArray(decisions) ? decisions : []).map((node) =>
    listDeciders(node).map((one) => textAt(one, ['decider'])),
  );
  const deciders = new Set(nodes.flat());
  // A node that has a copy takes no other, whatever else keeps the shard from it.
  const isCopied = nodes.length > 0 && nodes.every((names) => names.includes('same_shard'));
  const known = isCopied ? undefined : steps.find(([decider]) => deciders.has(decider));
  if (known !== undefined) return known[1](first.label, findExplanation(explanation, known[0]));
  if (first.label !== first.index) return 'A person can have them named: `systemIndices` of the connection.';
  if (!isPrimary && (isCopied || health.number_of_data_nodes === 1)) {
    return `Add a node, or keep no copy: PUT /${first.label}/_settings {"index":{"number_of_replicas":0}}`;
  }
  if (isPrimary) return 'Bring back the node that had it; else restore the index from a snapshot: GET /_cat/snapshots?v=true.';
  return `es_cluster_health of ${first.label} in a minute; a node that left may come back.`;
}

/** `[[index][0], node[…], [P], s[STARTED], a[id=…]]`: of one shard on one node, where we speak of all. */
function withoutIds(text: string): string {
  return text.replace(/ \[\[.*$/s, '');
}

export function formatTask(task: unknown): string {
  const [source, waits] = [textAt(task, ['source']), textAt(task, ['time_in_queue'])];
  return `${short(source ?? 'without a name')} (${textAt(task, ['priority']) ?? '?'}${waits === undefined ? '' : `, waiting ${waits}`})`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= maxTextLength ? line : `${line.slice(0, maxTextLength)}…`;
}
