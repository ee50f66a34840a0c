/** `high`: something is failing or soon will. `medium`: it costs time or safety now. `low`: worth knowing. */
export type Severity = 'high' | 'medium' | 'low';

export interface Finding {
  severity: Severity;
  /** Orders the findings of one severity, in whatever unit the check counts; larger is worse. */
  weight: number;
  /** What was measured: the object, the figure and the threshold. */
  evidence: string;
  consequence: string;
  /** A statement or a call that goes on from here. Nothing is run by the check itself. */
  next: string;
}

/** Everything that one check has to say. */
export interface CheckReport {
  findings: readonly Finding[];
  /** Sentences on how to read this: since when counters count, what was left out. */
  notes: readonly string[];
  /** What there is beside the findings, one line each. */
  listing: readonly string[];
  /** A sentence with the privilege that shows the rest, if the account sees only a part. */
  hidden?: string | undefined;
  /** Why the server did not answer, and the statement that would change it. */
  unavailable?: { reason: string; remedy: string };
}

export function reportUnavailable(reason: string, remedy: string): CheckReport {
  return { findings: [], notes: [], listing: [], unavailable: { reason, remedy } };
}

const severities: readonly Severity[] = ['high', 'medium', 'low'];

export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.weight - a.weight);
}

/** The name of a check, and its report or what it threw. */
export type CheckResult = readonly [string, CheckReport | unknown];

/** Runs all checks at once. One that fails has its error as its result, and hides no other. */
export async function runChecks<Name extends string>(
  names: readonly Name[],
  check: (name: Name) => Promise<CheckReport>,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const results = await Promise.all(
    names.map(async (name): Promise<CheckResult> => [name, await check(name).catch((error: unknown) => error)]),
  );
  signal.throwIfAborted();
  return results;
}
