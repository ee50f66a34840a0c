import type { CatalogRun } from '../engine.ts';

/** The overview has this order. */
export const checkNames = [
  'activity',
  'locks',
  'slow_queries',
  'indexes',
  'tables',
  'replication',
  'settings',
  'privileges',
] as const;

export type CheckName = (typeof checkNames)[number];

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
  /** Set when the account sees only a part: a sentence with the privilege that shows the rest. */
  hidden?: string | undefined;
  /** Set when the server did not answer: why, and the statement that would change it. */
  unavailable?: { reason: string; remedy: string };
}

/** What a check is limited to. */
export interface CheckScope {
  schema: string | undefined;
  /** The bare name of a table. */
  table: string | undefined;
  /** Lines of the listing at most. */
  limit: number;
}

export type Check = (run: CatalogRun, scope: CheckScope) => Promise<CheckReport>;

/** All checks of one engine. They only read, and none takes longer than a second on ten thousand tables. */
export type Diagnosis = Readonly<Record<CheckName, Check>>;

export function reportUnavailable(reason: string, remedy: string): CheckReport {
  return { findings: [], notes: [], listing: [], unavailable: { reason, remedy } };
}

const severities: readonly Severity[] = ['high', 'medium', 'low'];

export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.weight - a.weight);
}
