import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { connectionSchema } from './connection/schema.ts';
import type { EsmoleConnection } from './library-types.ts';

type Written = z.input<typeof connectionSchema>;

describe('the published type of a connection', () => {
  it('fits what is accepted, and has every field of it', () => {
    expectTypeOf<EsmoleConnection>().toExtend<Written>();
    expectTypeOf<Exclude<keyof Written, keyof EsmoleConnection>>().toBeNever();
    const whole: Required<EsmoleConnection> = {
      name: 'logs',
      url: undefined,
      cloudId: undefined,
      type: 'elasticsearch',
      scheme: 'https',
      host: 'search.example.com',
      port: 9200,
      nodes: ['other.example.com'],
      user: undefined,
      password: undefined,
      apiKey: { env: 'KEY' },
      auth: undefined,
      ca: '/ca.pem',
      caFingerprint: undefined,
      verifyTls: true,
      kibana: undefined,
      pathPrefix: '/search',
      writes: { dml: 'ask' },
      noWhere: 'allow',
      maxRows: 100,
      columns: { 'users.email': 'mask' },
      pii: 'common',
      strict: true,
      indices: ['web-*'],
      maxShards: 50,
      maxBytes: 1_000_000,
      warn: true,
      leadingWildcards: 'refuse',
      scripts: 'allow',
      systemIndices: false,
      sensitive: false,
      models: false,
      readonly: true,
      environment: 'staging',
      description: 'web logs',
      timeoutMs: 1_000,
      ssh: 'bastion',
    };
    expect(connectionSchema.safeParse(whole)).toMatchObject({ success: true });
  });
});
