import { respond, type ToolReply } from '../answer/respond.ts';
import { toFailure } from '../failure.ts';
import { type CheckReport, type CheckResult, type Finding, sortFindings } from './report.ts';

/** An answer: our own first line, and the lines with names and texts of the database. */
interface ReportText {
  line: string;
  lines: readonly string[];
}

const maxEvidence = 200;

/** One line for each check. A check that failed is an error, and hides no other. */
export function formatOverview(results: readonly CheckResult[]): ReportText {
  const lines = results.map(
    ([name, report]) => `${name}: ${isReport(report) ? summarize(report) : `failed: ${toFailure(report).message}`}`,
  );
  const found = results.filter(([, report]) => isReport(report) && report.findings.length > 0).length;
  const what = found === 0 ? 'No check found anything.' : `${found} of ${results.length} checks found something.`;
  return { line: `${what} diagnose with check=NAME shows the details.`, lines: lines.map(toLine) };
}

function isReport(value: unknown): value is CheckReport {
  return typeof value === 'object' && value !== null && 'findings' in value;
}

function summarize({ findings, unavailable, hidden }: CheckReport): string {
  if (unavailable !== undefined) return `not available: ${unavailable.reason}. ${unavailable.remedy}`;
  const [worst, ...others] = sortFindings(findings);
  if (worst === undefined) return hidden === undefined ? 'ok' : `ok as far as this account sees. ${hidden}`;
  const evidence = [...worst.evidence];
  const text = evidence.length > maxEvidence ? `${evidence.slice(0, maxEvidence).join('')}…` : worst.evidence;
  return `${worst.severity}: ${text}${others.length === 0 ? '' : `; and ${others.length} more`}`;
}

interface Window {
  limit: number;
  offset: number;
}

/** The findings of one check, worst first, then what it lists beside them. */
export function formatReport(check: string, report: CheckReport, { limit, offset }: Window): ReportText {
  const { findings, listing, unavailable } = report;
  const notes = [...(report.hidden === undefined ? [] : [report.hidden]), ...report.notes];
  if (unavailable !== undefined) {
    return {
      line: `${check} is not available here.`,
      lines: [toLine(unavailable.reason), toLine(`Next: ${unavailable.remedy}`)],
    };
  }
  const shown = sortFindings(findings).slice(offset, offset + limit);
  const listed = listing.slice(offset, offset + limit);
  const rest = findings.length - offset - shown.length;
  const count =
    findings.length === 0 ? 'No findings' : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}, worst first`;
  const window =
    offset === 0 && rest <= 0 ? '' : `, ${shown.length === 0 ? 'none' : `${offset + 1}-${offset + shown.length}`} shown`;
  const more = rest > 0 ? ` Same call with offset=${offset + limit} reads on.` : '';
  return {
    line: `${check}: ${count}${window}.${more}${notes.length === 0 ? '' : ` ${notes.join(' ')}`}`,
    lines: [
      ...shown.flatMap(formatFinding),
      ...(listed.length === 0 ? [] : ['Listed:', ...listed.map((one) => `  ${toLine(one)}`)]),
    ],
  };
}

/** Worst first. */
export function formatFindings(findings: readonly Finding[]): string[] {
  return sortFindings(findings).flatMap(formatFinding);
}

function formatFinding({ severity, evidence, consequence, next }: Finding): string[] {
  return [toLine(`${severity}: ${evidence}`), `  ${toLine(consequence)}`, `  Next: ${toLine(next)}`];
}

/** What a name or a statement contains must not look like one of our lines. */
function toLine(text: string): string {
  return text.replaceAll('⟦', '⟦U+27E6⟧').replaceAll('\n', '⟦U+000A⟧');
}

export function replyReport({ line, lines }: ReportText): ToolReply {
  return respond.text(lines.join('\n'), { line, readOn: 'Same call with a higher offset reads on.' });
}
