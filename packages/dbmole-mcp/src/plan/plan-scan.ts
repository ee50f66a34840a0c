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

/** Literals, quoted names, words, and the operators that compare texts. */
const tokenPattern = /'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[\p{L}\p{N}_$]+|::|!?~~?\*?|\S/gsu;
const patternOperators = new Set(['~~', '~~*', 'like', 'ilike']);
const wildcardStart = /^'[%_]/;
const keywords = new Set(['and', 'or', 'not', 'in', 'any', 'all', 'between', 'like', 'ilike', 'is', 'case', 'when', 'then']);

type Use = 'plain' | 'wildcard' | 'expression' | 'number';

const subquery = /\bSubPlan \d|subquery#\d|\bselect #\d|<in_optimizer>/;

/** How many rows such a filter keeps can neither be known from statistics nor found by an index. */
export function hasSubquery(filter: string | undefined): boolean {
  return filter !== undefined && subquery.test(filter);
}

type Scan = Pick<PlanNode, 'filter' | 'alias'>;

/** Why a filter was not answered by an index. */
export function explainScan(scan: Scan, facts: TableFacts | undefined): string {
  const uses = facts === undefined ? new Map<string, Use>() : findUses(scan, facts);
  const columns = [...uses.keys()];
  const index = facts?.indexes.find(({ definition }) => columns.includes(leadingColumn(definition)));
  if (index !== undefined) return explainUnused(index, uses);
  const byUse = (wanted: Use) => columns.filter((column) => uses.get(column) === wanted);
  const plain = [...byUse('plain'), ...byUse('number')];
  if (plain.length > 0) return `no index begins with ${plain.join(' or ')}`;
  if (byUse('wildcard').length > 0)
    return `its LIKE on ${byUse('wildcard').join(', ')} begins with a wildcard, which no ordinary index serves`;
  const computed = byUse('expression');
  const hasExpressionIndex = facts?.indexes.some(({ definition }) => leadingColumn(definition) === '') ?? true;
  return computed.length === 0 || hasExpressionIndex
    ? 'no index was used'
    : `no index is on what is computed from ${computed.join(', ')}`;
}

/** Why an index that begins with a compared column did not serve. */
function explainUnused({ name, definition }: TableFacts['indexes'][number], uses: ReadonlyMap<string, Use>): string {
  const column = leadingColumn(definition);
  const use = uses.get(column);
  if (use === 'expression') return `it compares what is computed from ${column}, which the index ${name} does not hold`;
  if (use === 'number')
    return `${column} is a text that is compared with a number, so the index ${name} does not serve; write the number in quotes`;
  const isOrdinary = /^(?:UNIQUE )?(?:btree )?\(/.test(definition);
  return use === 'wildcard' && isOrdinary
    ? `its LIKE on ${column} begins with a wildcard, which the index ${name} does not serve`
    : `the planner did not use the index ${name}`;
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
  for (const [at, token] of tokens.entries()) {
    const column = byName.get(bareName(token).toLowerCase());
    if (column === undefined || token.startsWith("'") || tokens[at + 1] === '.' || tokens[at + 1] === '(') continue;
    if (!isOurs(at)) continue;
    uses.set(column.name, describeUse(tokens, at, column.type));
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
  if (isArgument || isComputing(tokens[before]) || isComputing(tokens[after])) return 'expression';
  return describeComparison(tokens[after]?.toLowerCase() ?? '', tokens[after + 1] ?? '', type);
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
  if (operator === '=' && textType.test(type) && /^\d/.test(other)) return 'number';
  return patternOperators.has(operator) && wildcardStart.test(other) ? 'wildcard' : 'plain';
}

function isFunction(token: string | undefined): boolean {
  return token !== undefined && /^[\p{L}_]/u.test(token) && !keywords.has(token.toLowerCase());
}
