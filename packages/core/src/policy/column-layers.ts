import type { BaseConnection } from '../connection.ts';
import { listPolicies } from './layers.ts';
import type { ColumnRules } from './match-columns.ts';
import { commonPersonalData } from './personal-data.ts';

/** The column rules of all policies that hold; undefined where nothing is protected. */
export function listColumnLayers(config: BaseConnection & ColumnRules): readonly ColumnRules[] | undefined {
  const rules = listPolicies(config).map(({ columns, pii, strict }) => ({ columns, pii, strict }));
  return rules.some(({ columns, pii }) => columns !== undefined || pii !== undefined) ? rules : undefined;
}

/** All rules, those of presets included, in the order in which they decide: `users.email mask`. */
export function listColumnRules(config: BaseConnection & ColumnRules): readonly string[] {
  return (listColumnLayers(config) ?? []).flatMap(({ columns = {}, pii, strict }) => [
    ...Object.entries(columns).map(([rule, action]) => `${rule} ${action}`),
    ...(pii === undefined ? [] : Object.entries(commonPersonalData).map(([rule, action]) => `${rule} ${action} (pii ${pii})`)),
    ...(strict === true ? ['strict'] : []),
  ]);
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
