import { createColumnPolicy, createProtectValue } from '@dbmole/core';
import { expect, it } from 'vitest';
import { describeSample } from './change-text.ts';
import { passSample } from './changed-rows.ts';

const sample = {
  schema: 'public',
  table: 'users',
  rows: [
    {
      key: [{ column: 'id', value: '5' }],
      before: [{ column: 'email', value: 'a@b.c' }],
      after: [{ column: 'email', value: 'd@e.f' }],
    },
    { key: [{ column: 'id', value: '6' }], before: [], after: [] },
  ],
};

it('shows that a protected column changes, and not to what', () => {
  const policy = createColumnPolicy([{ columns: { 'users.email': 'mask' } }]);
  const shown = describeSample(passSample(sample, { policy, protect: createProtectValue(Buffer.from('key')) }));
  expect(shown).toEqual(['for example id 5: email *** → ***', 'id 6: stays the same']);
});
