import { dataMark } from '../answer/first-line.ts';
import type { Severity } from './report.ts';

/** One line of an overview. */
export interface CheckLine {
  check: string;
  state: Severity | 'ok' | 'unavailable' | 'failed';
  /** What was found, or why nothing can be; empty for a check that is plainly fine. */
  text: string;
}

/** One finding of a check, as it was written. */
interface FindingText {
  severity: Severity;
  evidence: string;
  consequence: string;
  next: string;
}

/** The details of one check. */
interface ReportDetails {
  /** Our sentences, before the data. */
  head: string;
  findings: readonly FindingText[];
  listing: readonly string[];
  /** Lines of another form, such as why a check is not available. */
  others: readonly string[];
}

/** The words that begin a line of an overview, the worst first; `ok` may be followed by a restriction. */
const beginnings: readonly (readonly [string, CheckLine['state']])[] = [
  ['high: ', 'high'],
  ['medium: ', 'medium'],
  ['low: ', 'low'],
  ['failed: ', 'failed'],
  ['not available: ', 'unavailable'],
];

const ranks: readonly CheckLine['state'][] = ['high', 'medium', 'low', 'failed', 'unavailable', 'ok'];

/** Reads what `formatOverview` wrote, worst first. Undefined for a text of another form, which can only be shown as it is. */
export function readOverview(text: string): CheckLine[] | undefined {
  const { lines } = splitAnswer(text);
  const checks = lines.map(readCheckLine);
  const known = checks.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < checks.length) return undefined;
  return known.toSorted((a, b) => ranks.indexOf(a.state) - ranks.indexOf(b.state));
}

function readCheckLine(line: string): CheckLine | undefined {
  const end = line.indexOf(': ');
  const check = line.slice(0, Math.max(0, end));
  if (!/^[a-z_]+$/.test(check)) return undefined;
  const rest = line.slice(end + 2);
  if (rest === 'ok') return { check, state: 'ok', text: '' };
  if (rest.startsWith('ok ')) return { check, state: 'ok', text: rest.slice(3) };
  const found = beginnings.find(([words]) => rest.startsWith(words));
  return found && { check, state: found[1], text: rest.slice(found[0].length) };
}

/** Reads what `formatReport` wrote. Nothing of the text is left out. */
export function readDetails(text: string): ReportDetails {
  const { head, lines } = splitAnswer(text);
  const findings: FindingText[] = [];
  const listing: string[] = [];
  const others: string[] = [];
  let isListing = false;
  for (const line of lines) {
    const severity = (['high', 'medium', 'low'] as const).find((one) => line.startsWith(`${one}: `));
    const last = findings.at(-1);
    if (severity !== undefined) findings.push({ severity, evidence: line.slice(severity.length + 2), consequence: '', next: '' });
    else if (line === 'Listed:') isListing = true;
    else if (isListing && line.startsWith('  ')) listing.push(line.slice(2));
    else if (last?.next === '' && last.consequence !== '' && line.startsWith('  Next: ')) last.next = line.slice(8);
    else if (last?.consequence === '' && line.startsWith('  ')) last.consequence = line.slice(2);
    else others.push(line);
  }
  return { head, findings, listing, others };
}

/** Our sentences end with the mark of the data; an answer without data has no lines. */
function splitAnswer(text: string): { head: string; lines: readonly string[] } {
  const end = text.indexOf(`${dataMark}\n`);
  if (end < 0) return { head: text, lines: [] };
  return { head: text.slice(0, end).trim(), lines: text.slice(end + dataMark.length + 1).split('\n') };
}
