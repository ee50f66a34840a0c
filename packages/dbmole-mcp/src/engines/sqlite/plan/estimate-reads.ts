import type { PlanNode } from '../../../plan/plan-tree.ts';
import { toKey } from '../catalog/schema-facts.ts';

export interface StoredTable {
  name: string;
  rows: number;
  rowBytes: number;
  /** By index: the rows that share its first columns, and how many columns are unique. */
  keys: ReadonlyMap<string, { shares: readonly number[]; uniqueSize: number | undefined }>;
}

interface EstimatedRead {
  node: PlanNode;
  table: StoredTable;
  /** The sum of all of its runs. */
  rows: number;
}

interface Facts {
  tables: ReadonlyMap<string, StoredTable>;
  /** The rows that a plain scan is asked for. */
  maxRows: number | undefined;
}

/** What SQLite itself assumes of a column without statistics. */
const usualShare = 10;
const rangeShare = 4;

/**
 * The rows that each step of a plan reads. Steps with one parent are loops in each other. How many rows a condition keeps is not known, so
 * a loop counts as if it kept all that it reads.
 */
export function estimateReads(roots: readonly PlanNode[], facts: Facts): readonly EstimatedRead[] {
  const reads: EstimatedRead[] = [];
  new Estimate(facts, reads).walk(roots, 1);
  return reads;
}

const automatic = / USING AUTOMATIC /;
const correlated = /^CORRELATED /;
const separate = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/;

class Estimate {
  readonly #facts: Facts;
  readonly #reads: EstimatedRead[];
  /** Rows of queries that the plan names. */
  readonly #queries = new Map<string, number>();

  constructor(facts: Facts, reads: EstimatedRead[]) {
    this.#facts = facts;
    this.#reads = reads;
  }

  /** The rows that the steps give, for so many runs. */
  walk(nodes: readonly PlanNode[], runs: number): number {
    let loops = runs;
    for (const node of nodes) if (separate.test(node.label)) this.#keep(node);
    for (const node of nodes) {
      if (separate.test(node.label)) continue;
      if (correlated.test(node.label)) this.walk(node.children, loops);
      else if (node.table === undefined) loops = Math.max(loops, this.#walkGroup(node, loops, runs));
      else loops *= this.#read(node, loops);
    }
    return loops;
  }

  #keep(node: PlanNode): void {
    const [, name = ''] = separate.exec(node.label) ?? [];
    this.#queries.set(toKey(name), this.walk(node.children, 1));
  }

  /** The parts of a set operation, each of which runs by itself, the ways of an OR, and queries that run once. */
  #walkGroup(node: PlanNode, loops: number, runs: number): number {
    if (/^(?:SCALAR|LIST) SUBQUERY/.test(node.label)) {
      this.walk(node.children, 1);
      return loops;
    }
    if (node.label.startsWith('MULTI-INDEX OR'))
      return node.children.reduce((sum, part) => sum + this.walk(part.children, loops), 0);
    return node.children.length === 0 ? loops : this.walk(node.children, runs);
  }

  /** The rows of one run. */
  #read(node: PlanNode, loops: number): number {
    const table = this.#facts.tables.get(node.table ?? '');
    if (table === undefined) return this.#queries.get(toKey(node.table ?? '')) ?? 1;
    const each = node.label.startsWith('SEARCH ') ? searchRows(node.label, table) : this.#scanRows(table);
    const built = automatic.test(node.label) ? table.rows : 0;
    this.#reads.push({ node, table, rows: each * loops + built });
    return Math.max(1, each);
  }

  #scanRows({ rows }: StoredTable): number {
    return this.#facts.maxRows === undefined ? rows : Math.min(rows, this.#facts.maxRows);
  }
}

function searchRows(label: string, { rows, keys }: StoredTable): number {
  const { index, terms } = readTerms(label);
  // The least or the largest value: the first of an index, or all rows.
  if (terms === '') return label.includes(' USING ') ? Math.min(1, rows) : rows;
  const equal = terms.split(' AND ').filter((term) => /[^<>]=\?/.test(term)).length;
  const ranges = terms.split(' AND ').length - equal;
  const known = index === undefined ? undefined : keys.get(toKey(index));
  const isOne =
    index === undefined ? / PRIMARY KEY \(rowid=\?\)/.test(label) : known?.uniqueSize !== undefined && equal >= known.uniqueSize;
  if (isOne) return Math.min(1, rows);
  const share = equal === 0 ? rows : (known?.shares[equal - 1] ?? usualShare);
  return Math.min(rows, Math.max(1, Math.ceil(share / rangeShare ** ranges)));
}

/** `(a=? AND b>?)`, and the name of the index in front of it. */
function readTerms(label: string): { index: string | undefined; terms: string } {
  const from = label.indexOf(' USING ');
  const open = label.lastIndexOf(' (');
  if (from < 0 || open < from) return { index: undefined, terms: '' };
  const index = / INDEX (\S+)$/.exec(label.slice(from, open))?.[1];
  return { index, terms: label.slice(open + 2, label.lastIndexOf(')')) };
}
