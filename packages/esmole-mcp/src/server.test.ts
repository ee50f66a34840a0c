import { describe, expect, it } from 'vitest';
import { connectionSchema } from './connection/schema.ts';
import { definition } from './server.ts';

const view = (fields: object) =>
  definition.connections.policyView?.(
    connectionSchema.parse({ name: 'c', type: 'elasticsearch', host: 'es', auth: 'none', ...fields }),
  );

describe('the policy that doctor shows', () => {
  it('says that writes in production are confirmed', () => {
    expect(view({ environment: 'production' })).toMatchObject({ writes: 'ask' });
    expect(view({ environment: 'Production', indices: ['a', 'b-*'] })).toMatchObject({
      writes: 'ask',
      indices: 'a b-*',
    });
    expect(view({ writes: { ddl: 'ask' }, maxRows: 5, noWhere: 'allow' })).toMatchObject({
      writes: 'dml allow, ddl ask',
      maxRows: 5,
      noWhere: 'allow',
    });
    for (const fields of [{ environment: 'production', readonly: true }, { environment: 'staging' }, { writes: 'never' }, {}])
      expect(view(fields)?.writes).toBeUndefined();
  });
});
