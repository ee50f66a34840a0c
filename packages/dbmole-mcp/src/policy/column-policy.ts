import { type ColumnRules, Failure, listPolicies } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';

/** The column rules of all policies that hold; undefined where nothing is protected. */
export function listColumnPolicies(config: Connection): readonly ColumnRules[] | undefined {
  const rules = listPolicies(config)
    .map(({ columns, pii, strict }) => ({ columns, pii, strict }))
    .filter(({ columns, pii, strict }) => columns !== undefined || pii !== undefined || strict === true);
  return rules.some(({ columns, pii }) => columns !== undefined || pii !== undefined) ? rules : undefined;
}

/** A refusal by the column policy. Its message must not contain a value from the database. */
export function refuseColumn(message: string, position?: number): Failure {
  return new Failure('refused', message, {
    code: 'E_PROTECTED_COLUMN',
    hint: 'Leave the column out. Only the user can change "columns", where the connection is defined.',
    ...(position !== undefined && { position }),
  });
}

/** The policy in a few words, for lists: `3 rules, pii common, strict`. */
export function formatColumnPolicy(config: Connection): string | undefined {
  const layers = listColumnPolicies(config);
  if (layers === undefined) return undefined;
  const count = layers.reduce((sum, { columns = {} }) => sum + Object.keys(columns).length, 0);
  const words = [
    count === 0 ? '' : `${count} ${count === 1 ? 'rule' : 'rules'}`,
    layers.some(({ pii }) => pii === 'common') ? 'pii common' : '',
    layers.some(({ strict }) => strict === true) ? 'strict' : '',
  ];
  return words.filter((word) => word !== '').join(', ');
}
