import type { BaseConnection } from '../../connection.ts';
import { type Failure, failureWith } from '../../failure.ts';
import { withPolicies } from '../../policy/layers.ts';
import type { Entry, Origin, Snapshot, SourceProblem } from '../entry.ts';
import { type Dependencies, dependencyState, type Evaluation, evaluate, type Reader, readVersion } from '../secrets/evaluate.ts';
import type { PendingFile } from './project.ts';
import type { Candidate, SourceState } from './sources.ts';

/** An entry and what it was made from. */
export interface Listed<C extends BaseConnection> {
  entry: Entry<C>;
  /** Absent for a connection of a file that is not allowed. */
  candidate?: Candidate;
  /** An allowed file defined it and has changed since: the name is taken, and cannot be used. */
  isReserved?: boolean;
  depends: Dependencies;
}

export interface Compiled<C extends BaseConnection> {
  snapshot: Snapshot<C>;
  byName: ReadonlyMap<string, Listed<C>>;
  /** The connections of every source, hidden ones included. */
  candidates: readonly Candidate[];
  /** Everything that any connection depends on, and what it held. In memory only: it has the variables' values. */
  depends: Dependencies;
  held: string;
}

/** Merges the sources, strongest first. A connection that cannot be used still hides weaker ones: silence would be worse. */
export function compile<C extends BaseConnection>(
  sources: readonly SourceState[],
  files: readonly PendingFile[],
  reader: Reader<C>,
): Compiled<C> {
  const byName = new Map<string, Listed<C>>();
  const groups = groupByName(sources);
  const pending = files.filter((file) => !file.isGone || file.reserved.some((name) => isFallback(groups.get(name))));
  const reservedBy = new Map(pending.toReversed().flatMap((file) => file.reserved.map((name) => [name, file] as const)));
  for (const [name, candidates] of groups) {
    const [winner, ...shadowed] = candidates;
    const file = isFallback(candidates) ? reservedBy.get(name) : undefined;
    if (file) byName.set(name, pendingEntry(name, file, candidates));
    else if (winner) byName.set(name, findEntry(winner, shadowed, reader));
  }
  for (const file of pending) {
    const names = file.isGone ? [] : [...file.reserved, ...file.names];
    for (const name of names) if (!byName.has(name)) byName.set(name, pendingEntry(name, file));
  }
  const problems: SourceProblem[] = [
    ...sources.flatMap(({ origin, problems }) => problems.map((failure) => ({ origin, failure }))),
    ...pending.map(({ origin, failure }) => ({ origin, failure })),
  ];
  const snapshot = { entries: [...byName.values()].map(({ entry }) => entry), problems };
  const depends = union([...byName.values()].map((one) => one.depends));
  const candidates = sources.flatMap((source) => source.candidates);
  return { snapshot, byName, candidates, depends, held: dependencyState(depends, reader.env) };
}

/** Whether a variable or a secret's file has changed since. */
export function isStale<C extends BaseConnection>(compiled: Compiled<C>, reader: Reader<C>): boolean {
  return dependencyState(compiled.depends, reader.env) !== compiled.held;
}

function union(all: readonly Dependencies[]): Dependencies {
  const variables = new Set(all.flatMap((one) => one.variables));
  const files = new Set(all.flatMap((one) => one.files));
  return { variables: [...variables], files: [...files] };
}

function groupByName(sources: readonly SourceState[]): Map<string, Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of sources.flatMap(({ candidates }) => candidates)) {
    const group = groups.get(candidate.name);
    if (group) group.push(candidate);
    else groups.set(candidate.name, [candidate]);
  }
  return groups;
}

function findEntry<C extends BaseConnection>(candidate: Candidate, shadowed: readonly Candidate[], reader: Reader<C>): Listed<C> {
  const evaluation: Evaluation<C> = evaluate(candidate, reader);
  const own = readOwn(candidate, shadowed, reader);
  const problem = evaluation.problem ?? own.problem;
  const { policyFields } = reader;
  const config =
    problem === undefined && evaluation.config !== undefined
      ? withPolicies(evaluation.config, own.configs, policyFields)
      : undefined;
  const { unset } = evaluation;
  const depends = union([evaluation.depends, ...own.depends]);
  const state = dependencyState(depends, reader.env);
  const entry: Entry<C> = {
    name: candidate.name,
    origin: candidate.origin,
    ...(config !== undefined && { config }),
    ...(problem && { problem }),
    shadows: shadowed.map(({ origin }): Origin => origin),
    editable: candidate.origin.kind === 'store',
    ...(unset.length > 0 && { unset }),
    version: readVersion([candidate, ...own.candidates], state),
  };
  return { entry, candidate, depends };
}

interface Own<C> {
  candidates: readonly Candidate[];
  configs: readonly C[];
  depends: readonly Dependencies[];
  problem: Failure | undefined;
}

/** What a person has written in the store holds also where a project file takes the name: it must not loosen what a person has decided. */
function readOwn<C extends BaseConnection>({ origin }: Candidate, shadowed: readonly Candidate[], reader: Reader<C>): Own<C> {
  const candidates = origin.kind === 'project' ? shadowed.filter((one) => one.origin.kind === 'store') : [];
  const evaluations = candidates.map((one) => evaluate(one, reader));
  const problem = evaluations.find((one, i) => one.problem !== undefined && narrows(candidates[i]?.raw ?? {}, reader))?.problem;
  return {
    candidates,
    configs: evaluations.flatMap(({ config }) => config ?? []),
    depends: evaluations.map((one) => one.depends),
    problem: problem && failureWith(problem, { message: `${problem.message}; its policy must hold in ${origin.where} as well` }),
  };
}

function pendingEntry<C extends BaseConnection>(name: string, file: PendingFile, hidden: readonly Candidate[] = []): Listed<C> {
  const { origin, failure: problem } = file;
  const shadows = hidden.map((one) => one.origin);
  const entry: Entry<C> = { name, origin, problem, shadows, editable: false, version: 'not-allowed' };
  return { entry, isReserved: file.reserved.includes(name), depends: { variables: [], files: [] } };
}

/** By a value that is written, even where it is not valid. */
function narrows<C extends BaseConnection>(raw: Candidate['raw'], { policyFields }: Reader<C>): boolean {
  return ['readonly', ...policyFields].some((field) => (raw[field] ?? false) !== false);
}

/** Weaker than a project file; another one that is further up in the folders is weaker, too. */
function isFallback(candidates: readonly Candidate[] = []): boolean {
  const kind = candidates[0]?.origin.kind;
  return kind === 'project' || kind === 'store';
}
