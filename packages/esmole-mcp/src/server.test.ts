import { describe, expect, it } from 'vitest';
import { connectionSchema } from './connection/schema.ts';
import { definition } from './server.ts';

const view = (fields: object) =>
  definition.connections.policyView?.(
    connectionSchema.parse({ name: 'c', type: 'elasticsearch', host: 'es', auth: 'none', ...fields }),
  );

describe('the policy that doctor shows', () => {
  it('says that writes in production are not confirmed', () => {
    expect(view({ environment: 'production' })).toMatchObject({ writes: 'not confirmed' });
    expect(view({ environment: 'Production', indices: ['a', 'b-*'] })).toMatchObject({
      writes: 'not confirmed',
      indices: 'a b-*',
    });
    for (const fields of [{ environment: 'production', readonly: true }, { environment: 'staging' }, {}])
      expect(view(fields)?.writes).toBeUndefined();
  });
});
