import type { BaseConnection } from '../connection.ts';
import { listPolicies } from './layers.ts';
import type { ColumnRules } from './match-columns.ts';

/** The column rules of all policies that hold; undefined where nothing is protected. */
export function listColumnLayers(config: BaseConnection & ColumnRules): readonly ColumnRules[] | undefined {
  const rules = listPolicies(config).map(({ columns, pii, strict }) => ({ columns, pii, strict }));
  return rules.some(({ columns, pii }) => columns !== undefined || pii !== undefined) ? rules : undefined;
}

/** The policy in a few words, for lists: `3 rules, pii common, strict`. */
export function formatColumnPolicy(config: BaseConnection & ColumnRules): string | undefined {
  const layers = listColumnLayers(config);
  if (layers === undefined) return undefined;
  const count = layers.reduce((sum, { columns = {} }) => sum + Object.keys(columns).length, 0);
  const words = [
    count === 0 ? '' : `${count} ${count === 1 ? 'rule' : 'rules'}`,
    layers.some(({ pii }) => pii === 'common') ? 'pii common' : '',
    layers.some(({ strict }) => strict === true) ? 'strict' : '',
  ];
  return words.filter((word) => word !== '').join(', ');
}
