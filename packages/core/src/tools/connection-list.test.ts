import { expect, it } from 'vitest';
import type { BaseConnection } from '../connection.ts';
import type { Entry } from '../registry/registry.ts';
import { formatConnections } from './connection-list.ts';

it.each([
  [undefined, undefined],
  [1, '1 statement that was given up may still be running in the database'],
  [3, '3 statements that were given up may still be running in the database'],
])('notes how many statements may still be running: %s', (unconfirmed, note) => {
  const config: BaseConnection = { name: 'main', type: 'fake', host: 'fake.invalid', readonly: true };
  const entry: Entry<BaseConnection> = {
    name: 'main',
    config,
    origin: { kind: 'env', where: 'X' },
    shadows: [],
    editable: false,
    version: '1',
  };
  const { content } = formatConnections(
    { entries: [entry], problems: [] },
    {
      page: { limit: 10, offset: 0 },
      publicView: () => ({ type: 'fake' }),
      status: () => ({ state: 'open', ...(unconfirmed === undefined ? {} : { unconfirmed }) }),
    },
  );
  const [, header = '', row = ''] = content[0]?.text.split('\n') ?? [];
  expect(header.includes('note')).toBe(note !== undefined);
  if (note !== undefined) expect(row.endsWith(note)).toBe(true);
});
