import { bareName } from '../catalog/nearest-tables.ts';
import type { PlanNode } from './plan-tree.ts';

/** What has to be known of a table to say why no index of it was used. */
export interface TableFacts {
  /** The engine's estimate. */
  rows: number | undefined;
  columns: readonly { name: string; type: string }[];
  /** The columns are in the first parentheses: `(id)`, `UNIQUE btree (customer_id, day)`, `gin (tags)`. */
  indexes: readonly { name: string; definition: string }[];
}

/** Literals, quoted names, words, and the operators that compare. */
const tokenPattern = /'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[\p{L}\p{N}_$]+|::|!?~~?\*?|<>|!=|\S/gsu;
const patternOperators = new Set(['~~', '~~*', 'like', 'ilike']);
const excluding = new Set(['<>', '!=', '!~~', '!~~*', 'not']);
const wildcardStart = /^'[%_]/;
const keywords = new Set(['and', 'or', 'not', 'in', 'any', 'all', 'between', 'like', 'ilike', 'is', 'case', 'when', 'then']);

type Use = 'plain' | 'wildcard' | 'prefix' | 'caseless' | 'excluded' | 'expression' | 'cast' | 'number';

/** Conditions that an index on the column alone answers, or would if the other side were written otherwise. */
const servable: ReadonlySet<Use> = new Set<Use>(['plain', 'number', 'prefix']);

const subquery = /\bSubPlan \d|subquery#\d|\bselect #\d|<in_optimizer>/;

/** How many rows such a filter keeps can neither be known from statistics nor found by an index. */
export function hasSubquery(filter: string | undefined): boolean {
  return filter !== undefined && subquery.test(filter);
}

type Scan = Pick<PlanNode, 'filter' | 'alias'>;

/** Why a filter was not answered by an index. */
export function explainScan(scan: Scan, facts: TableFacts | undefined): string {
  const uses = facts === undefined ? new Map<string, Use>() : findUses(scan, facts);
  const leading = new Set(facts?.indexes.map(({ definition }) => leadingColumn(definition)));
  const missing = [...uses].filter(([column, use]) => servable.has(use) && !leading.has(column)).map(([column]) => column);
  const index = facts?.indexes.find(({ definition }) => uses.has(leadingColumn(definition)));
  const why = [
    ...(missing.length > 0 ? [`no index begins with ${missing.join(' or ')}`] : []),
    ...(index === undefined ? [] : [explainUnused(index, uses, facts)]),
  ];
  return why.length > 0 ? why.join('; ') : explainUnindexed(uses, leading.has(''));
}

/** Why a condition has no index, and would not be served by an ordinary one. */
function explainUnindexed(uses: ReadonlyMap<string, Use>, hasExpressionIndex: boolean): string {
  const byUse = (...wanted: Use[]) => [...uses].filter(([, use]) => wanted.includes(use)).map(([column]) => column);
  const wildcards = byUse('wildcard');
  if (wildcards.length > 0) return `its LIKE on ${wildcards.join(', ')} begins with a wildcard, which no ordinary index serves`;
  const caseless = byUse('caseless');
  if (caseless.length > 0) return `its ILIKE on ${caseless.join(', ')} ignores case, which no ordinary index does`;
  const computed = byUse('expression', 'cast');
  if (computed.length > 0 && !hasExpressionIndex) return `no index is on what is computed from ${computed.join(', ')}`;
  return 'no index was used';
}

/** Why an index that begins with a compared column did not serve. */
function explainUnused(
  { name, definition }: TableFacts['indexes'][number],
  uses: ReadonlyMap<string, Use>,
  facts: TableFacts | undefined,
): string {
  const column = leadingColumn(definition);
  const type = facts?.columns.find((known) => known.name === column)?.type;
  const ofText: Partial<Record<Use, string>> = {
    wildcard: `its LIKE on ${column} begins with a wildcard, which the index ${name} does not serve`,
    caseless: `its ILIKE on ${column} ignores case, which the index ${name} does not`,
    prefix: `LIKE on ${column} needs an index with text_pattern_ops or of collation C, unlike ${name}`,
  };
  const others: Partial<Record<Use, string>> = {
    expression: `it compares what is computed from ${column}, which the index ${name} does not hold`,
    cast: `${column} is cast, so the index ${name} does not serve; compare it with values of its own type, ${type}`,
    number: `${column} is a text that is compared with a number, so the index ${name} does not serve; write the number in quotes`,
    excluded: `its condition on ${column} only excludes values, which the index ${name} seldom serves`,
  };
  const isOrdinary = /^(?:UNIQUE )?(?:btree )?\(/.test(definition) && !definition.includes('_pattern_ops');
  const use = uses.get(column) ?? 'plain';
  return others[use] ?? (isOrdinary ? ofText[use] : undefined) ?? `the planner did not use the index ${name}`;
}

const leadingName = /^(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|[\p{L}\p{N}_$]+)/u;

/** Empty for an expression. A prefix of a column, as in `name(20)`, is that column. */
function leadingColumn(definition: string): string {
  const first = definition.slice(definition.indexOf('(') + 1);
  const name = leadingName.exec(first)?.[0] ?? '';
  return /^\s*\((?!\d)/.test(first.slice(name.length)) ? '' : name;
}

function findUses({ filter = '', alias }: Scan, { columns }: TableFacts): Map<string, Use> {
  const tokens = filter.match(tokenPattern) ?? [];
  const isOurs = (at: number) => tokens[at - 1] !== '.' || bareName(tokens[at - 2] ?? '') === alias;
  const byName = new Map(columns.map((column) => [bareName(column.name).toLowerCase(), column]));
  const uses = new Map<string, Use>();
  let cases = 0;
  for (const [at, token] of tokens.entries()) {
    cases += { case: 1, end: -1 }[token.toLowerCase()] ?? 0;
    const column = byName.get(bareName(token).toLowerCase());
    if (column === undefined || token.startsWith("'") || tokens[at + 1] === '.' || tokens[at + 1] === '(') continue;
    // Planners add `IS NOT NULL` to what they join by.
    if (!isOurs(at) || /^is not null$/i.test(tokens.slice(at + 1, at + 4).join(' '))) continue;
    uses.set(column.name, cases > 0 ? 'expression' : describeUse(tokens, at, column.type));
  }
  return uses;
}

const textType = /^(?:(?:var)?char|character|(?:tiny|medium|long)?text)\b/;
const computing = /^(?:[-+*/%^|,]|::|as|at|from|collate)$/i;

/** The token beside a column that is part of an expression. */
function isComputing(token: string | undefined): boolean {
  return token !== undefined && computing.test(token);
}

function describeUse(tokens: readonly string[], at: number, type: string): Use {
  const [before, after] = findSurroundings(tokens, at, type);
  const isArgument = tokens[before] === '(' && isFunction(tokens[before - 1]);
  if (isArgument || isComputing(tokens[before])) return 'expression';
  if (tokens[after] === '::') return 'cast';
  if (isComputing(tokens[after])) return 'expression';
  const operator = tokens[after]?.toLowerCase() ?? '';
  return describeComparison(operator, tokens[operator === 'in' ? after + 2 : after + 1] ?? '', type);
}

/** The tokens before and after a column, outside of parentheses and casts that change nothing. */
function findSurroundings(tokens: readonly string[], at: number, type: string): [before: number, after: number] {
  let before = tokens[at - 1] === '.' ? at - 3 : at - 1;
  let after = at + 1;
  const isWrapped = () => tokens[before] === '(' && tokens[after] === ')' && !isFunction(tokens[before - 1]);
  // A varchar is a text to an index as well.
  const isTextCast = () => tokens[after] === '::' && tokens[after + 1] === 'text' && textType.test(type);
  while (isWrapped() || isTextCast()) {
    if (tokens[after] === ')') before -= 1;
    after += tokens[after] === ')' ? 1 : 2;
  }
  return [before, after];
}

function describeComparison(operator: string, other: string, type: string): Use {
  // Every text is converted to be compared with a number.
  if ((operator === '=' || operator === 'in') && textType.test(type) && /^\d/.test(other)) return 'number';
  if (excluding.has(operator)) return 'excluded';
  if (!patternOperators.has(operator)) return 'plain';
  if (wildcardStart.test(other)) return 'wildcard';
  if (operator === '~~*') return 'caseless';
  return operator === '~~' && other.startsWith("'") ? 'prefix' : 'plain';
}

function isFunction(token: string | undefined): boolean {
  return token !== undefined && /^[\p{L}_]/u.test(token) && !keywords.has(token.toLowerCase());
}
