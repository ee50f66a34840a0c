import { type ConditionDialect, holdsForAllOrNone } from '../../../approval/condition.ts';
import type { Token } from '../../../statement/tokens.ts';

const dialect: ConditionDialect = {
  plain: new Set(
    'TRUE FALSE NULL NOT IS IN LIKE GLOB MATCH REGEXP BETWEEN AND OR ISNULL NOTNULL COLLATE NOCASE BINARY RTRIM CASE WHEN THEN ELSE END SELECT EXISTS FROM DISTINCT ESCAPE'.split(
      ' ',
    ),
  ),
  marks: undefined,
  equalities: ['=', '==', '<=', '>='],
};

export function isUnrestricted(sql: string, tokens: readonly Token[]): boolean {
  return holdsForAllOrNone(sql, tokens, dialect);
}
