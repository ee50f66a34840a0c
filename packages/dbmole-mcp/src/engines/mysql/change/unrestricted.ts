import { type ConditionDialect, holdsForAllOrNone } from '../../../approval/condition.ts';
import type { Token } from '../../../statement/tokens.ts';

const dialect: ConditionDialect = {
  plain: new Set(
    'TRUE FALSE NULL UNKNOWN NOT IS IN LIKE BETWEEN AND OR XOR DIV MOD REGEXP RLIKE DATE TIME TIMESTAMP BINARY CASE WHEN THEN ELSE END SELECT EXISTS FROM DUAL'.split(
      ' ',
    ),
  ),
  marks: { or: '|', and: '&' },
  equalities: ['=', '<=', '>=', '<=>'],
};

export function isUnrestricted(sql: string, tokens: readonly Token[]): boolean {
  return holdsForAllOrNone(sql, tokens, dialect);
}
