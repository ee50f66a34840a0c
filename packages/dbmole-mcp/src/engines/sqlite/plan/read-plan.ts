import type { PlanNode, PlanTree } from '../../../plan/plan-tree.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { findConditions } from './find-conditions.ts';
import { findTable } from './find-table.ts';

interface Step {
  id: string;
  parent: string;
  detail: string;
}

/** Reads the rows of EXPLAIN QUERY PLAN, whose cells are separated by tabs. */
export function readPlan(answer: string, sql: string): PlanTree {
  const steps = answer
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Step => {
      const [id = '', parent = '', , ...detail] = line.split('\t');
      return { id, parent, detail: detail.join('\t') };
    });
  const ids = new Set(steps.map(({ id }) => id));
  const toNode = ({ id, detail }: Step): PlanNode => ({
    ...describeStep(detail),
    children: steps.filter(({ parent }) => parent === id).map(toNode),
  });
  const roots = steps.filter(({ parent }) => !ids.has(parent)).map(toNode);
  return { roots, totalMs: undefined, notes: listNotes(steps, sql), hasNoFigures: true };
}

const scan = /^SCAN (\S+)(?! CONSTANT)/;
/** The least or the largest value of a column without an index. */
const extreme = /^SEARCH \S+$/;
const read = /^(?:SCAN|SEARCH) (\S+)/;

/** SQLite shows neither rows nor costs. */
function describeStep(detail: string): Omit<PlanNode, 'children'> {
  const table = read.exec(detail)?.[1];
  return {
    label: detail,
    ...{ estimatedRows: undefined, actualRows: undefined, loops: undefined, totalMs: undefined, removed: undefined },
    ...{ spilled: undefined, cost: undefined, filter: undefined, expectedReads: undefined, rowCount: 'unknown', details: [] },
    fullScan: scan.test(detail) || extreme.test(detail),
    table,
    alias: table,
  };
}

/** Indexes that SQLite lacked: those that it builds for this statement alone, and those of conditions on tables that it reads in full. */
function listNotes(steps: readonly Step[], sql: string): string[] {
  const reads = steps.filter(({ detail }) => read.test(detail));
  return [...new Set(reads.flatMap(({ detail }) => describeMissing(detail, { sql, isOnly: reads.length === 1 })))];
}

const automatic = /^SEARCH (\S+) USING AUTOMATIC (?:PARTIAL )?(?:COVERING )?INDEX \((.*)\)$/;

function describeMissing(detail: string, { sql, isOnly }: { sql: string; isOnly: boolean }): string[] {
  const [, alias, terms = ''] = automatic.exec(detail) ?? [];
  if (alias !== undefined) {
    const columns = terms.split(' AND ').flatMap((term) => /^(\w+)[=<>]/.exec(term)?.[1] ?? []);
    const create = formatIndex(findTable(alias, sql), columns);
    return [`${alias}: SQLite builds an index for this statement each time it runs; next: ${create}`];
  }
  const [, scanned] = scan.exec(detail) ?? [];
  if (scanned === undefined || / USING (?:COVERING )?INDEX | VIRTUAL TABLE /.test(detail)) return [];
  const columns = findConditions(sql, scanned, isOnly);
  if (columns.length === 0) return [];
  const create = formatIndex(findTable(scanned, sql), columns);
  return [`${scanned} is read from end to end: no index serves its condition on ${columns.join(', ')}; next: ${create}`];
}

function formatIndex(table: string, columns: readonly string[]): string {
  const name = [table, ...columns].join('_').replace(/\W+/g, '_');
  return `CREATE INDEX ${name} ON ${formatIdentifier(table)} (${columns.map(formatIdentifier).join(', ')})`;
}
