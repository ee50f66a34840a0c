import { describe, expect, it } from 'vitest';
import type { TableDetails } from './catalog.ts';
import { formatDescription } from './schema-text.ts';

const view = (definition: string): TableDetails => ({
  asked: 'v',
  name: 'v',
  kind: 'view',
  rows: undefined,
  bytes: undefined,
  comment: undefined,
  rights: undefined,
  alsoIn: [],
  columns: [],
  keys: [],
  references: [],
  referencedBy: { shown: [], total: 0 },
  checks: [],
  indexes: [],
  policies: [],
  triggers: [],
  notes: [],
  partitions: { shown: [], total: 0 },
  definition,
});

describe('the statement of a view', () => {
  it.each([
    ['select 1\r\nfrom t', ['  AS, with CRLF at each line end', '  select 1', '  from t']],
    ['select 1\nfrom t', ['  AS', '  select 1', '  from t']],
    ['select 1\r\nfrom t\nwhere a', ['  AS', '  select 1\r', '  from t', '  where a']],
  ])('is shown with its line ends said once: %j', (definition, lines) => {
    expect(formatDescription({ tables: [view(definition)], types: [], missing: [] }).slice(1)).toEqual(lines);
  });
});
