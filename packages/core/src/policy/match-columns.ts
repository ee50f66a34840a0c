import { canBeginWith, matchesGlob } from './glob.ts';
import { commonPersonalData } from './personal-data.ts';

/** What happens to the values of a column, ordered by strictness. */
export const columnActions = ['refuse', 'drop', 'mask', 'pseudonym', 'partial'] as const;
export type ColumnAction = (typeof columnActions)[number];

/** One policy, as a person wrote it. Plain data, which a thread can be sent. */
export interface ColumnRules {
  readonly columns?: Readonly<Record<string, ColumnAction | 'show'>> | undefined;
  readonly pii?: 'common' | undefined;
  readonly strict?: boolean | undefined;
}

/** Which columns are protected, and how. Every policy that holds counts, and the strictest action wins. */
export interface ColumnPolicy {
  readonly strict: boolean;
  /** Undefined for a column that is shown. The table has the names by which a rule may call it: `users`, `app.users`. */
  find(tables: readonly string[], column: string): ColumnAction | undefined;
  /** The strictest action for a column whose name begins with this and goes on: a part of an object, or of the whole if this is empty. */
  findInside(tables: readonly string[], prefix: string): ColumnAction | undefined;
}

/** Undefined where no policy protects anything. */
export function createColumnPolicy(layers: readonly ColumnRules[]): ColumnPolicy | undefined {
  const matchers = layers.filter(({ columns, pii }) => columns !== undefined || pii !== undefined).map(createLayer);
  if (matchers.length === 0) return undefined;
  return {
    strict: layers.some(({ strict }) => strict === true),
    find(tables, column) {
      const paths = tables.map((table) => `${table}.${column}`);
      return findStrictest(matchers.map((match) => match(paths)));
    },
    findInside(tables, prefix) {
      const starts = tables.map((table) => (prefix === '' ? `${table}.` : `${table}.${prefix}.`).toLowerCase());
      const rules = layers.flatMap(({ columns, pii }) => [
        ...Object.entries(columns ?? {}),
        ...(pii === undefined ? [] : Object.entries(commonPersonalData)),
      ]);
      const found = rules.filter(([rule]) => starts.some((start) => canBeginWith(rule.toLowerCase(), start)));
      return findStrictest(found.map(([, action]) => (action === 'show' ? undefined : action)));
    },
  };
}

export function findStrictest(actions: readonly (ColumnAction | undefined)[]): ColumnAction | undefined {
  return columnActions.find((action) => actions.includes(action));
}

type Matcher = (paths: readonly string[]) => ColumnAction | undefined;

/** A person's own rules decide before those of a preset, and among these the one that says most of the name. */
function createLayer(rules: ColumnRules): Matcher {
  const own = sortRules(rules.columns ?? {});
  const preset = rules.pii === undefined ? [] : sortRules(commonPersonalData);
  return (paths) => {
    // Case does not count: a name in another spelling must not pass.
    const lower = paths.map((path) => path.toLowerCase());
    const found = [...own, ...preset].find(({ pattern }) => lower.some((path) => matchesGlob(pattern, path)));
    return found === undefined || found.action === 'show' ? undefined : found.action;
  };
}

interface Rule {
  pattern: string;
  action: ColumnAction | 'show';
  /** The characters of the rule that are no wildcards. */
  weight: number;
}

function sortRules(rules: Readonly<Record<string, ColumnAction | 'show'>>): readonly Rule[] {
  const strictness = (action: Rule['action']) => (action === 'show' ? columnActions.length : columnActions.indexOf(action));
  return Object.entries(rules)
    .map(([text, action]) => ({ pattern: text.toLowerCase(), action, weight: text.replaceAll(/[*?]/g, '').length }))
    .sort((one, other) => other.weight - one.weight || strictness(one.action) - strictness(other.action));
}
