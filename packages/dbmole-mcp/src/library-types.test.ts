import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { connectionSchema } from './connection/schema.ts';
import type { DbmoleConnection } from './library-types.ts';

type Written = z.input<typeof connectionSchema>;

describe('the published type of a connection', () => {
  it('fits what is accepted, and has every field of it', () => {
    expectTypeOf<DbmoleConnection>().toExtend<Written>();
    expectTypeOf<Exclude<keyof Written, keyof DbmoleConnection>>().toBeNever();
    const whole: Required<Omit<DbmoleConnection, 'file' | 'noLinks'>> = {
      name: 'shop',
      url: undefined,
      type: 'postgresql',
      host: 'db.example.com',
      port: 5432,
      user: 'reader',
      password: { from: 'pgpass' },
      database: 'shop',
      schema: 'shop, public',
      readonly: true,
      environment: 'staging',
      description: 'orders',
      databases: ['shop'],
      schemas: ['shop', '!old'],
      tables: ['shop.*'],
      columns: { 'users.email': 'mask', '*.*password*': 'drop', 'app.users.name': 'show' },
      pii: 'common',
      strict: true,
      maxRows: 1_000,
      maxCost: 1_000.5,
      maxScanRows: 1_000_000,
      maxBytes: 1_000_000_000,
      warn: true,
      writes: { dml: 'allow', ddl: 'never' },
      noWhere: 'allow',
      timeoutMs: 1_000,
      tls: { mode: 'verify-full', ca: '/ca.pem', serverName: 'db' },
      ssh: { host: 'bastion', user: 'me', privateKey: { file: '/key' }, jump: ['outer'] },
      trust: { functions: ['shop.report(text)'], extensions: ['pgtap'] },
    };
    expect(connectionSchema.safeParse(whole)).toMatchObject({ success: true });
    const file: DbmoleConnection = { name: 'app', type: 'sqlite', file: './app.db', noLinks: true, readonly: true, maxRows: 10 };
    expect(connectionSchema.safeParse(file)).toMatchObject({ success: true });
  });
});
