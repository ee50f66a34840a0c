import { expect, it } from 'vitest';
import type { BaseConnection } from '../../connection.ts';
import type { Entry } from '../../registry/registry.ts';
import { formatConnections } from './connection-list.ts';

const options = {
  page: { limit: 10, offset: 0 },
  publicView: () => ({ type: 'fake' }),
  door: { offers: () => true, readonly: false },
};

function entryWith(more: Partial<BaseConnection>): Entry<BaseConnection> {
  const config: BaseConnection = { name: 'main', type: 'fake', host: 'fake.invalid', readonly: true, ...more };
  return { name: 'main', config, origin: { kind: 'env', where: 'X' }, shadows: [], editable: false, version: '1' };
}

it('shows what a person wrote about a connection, and whether the last call reached it', () => {
  const entries = [entryWith({ description: 'orders since 2024' })];
  const { content } = formatConnections({ entries, problems: [] }, { ...options, status: () => ({ state: 'failed' }) });
  expect(content[0]?.text).toContain('\nname,description,type,readonly,state,from\nmain,orders since 2024,fake,true,failed,');
});

it.each([
  [undefined, undefined],
  [1, '1 statement that was given up may still be running in the database'],
  [3, '3 statements that were given up may still be running in the database'],
])('notes how many statements may still be running: %s', (unconfirmed, note) => {
  const { content } = formatConnections(
    { entries: [entryWith({})], problems: [] },
    {
      ...options,
      status: () => ({ state: 'open', ...(unconfirmed === undefined ? {} : { unconfirmed }) }),
    },
  );
  const [, header = '', row = ''] = content[0]?.text.split('\n') ?? [];
  expect(header.includes('note')).toBe(note !== undefined);
  if (note !== undefined) expect(row.endsWith(note)).toBe(true);
});
