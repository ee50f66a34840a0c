import { Failure } from '@dbmole/core';
import { expect, it } from 'vitest';
import type { CatalogRun } from '../../../engine.ts';
import { audit, formatReader } from './audit.ts';

const denied: CatalogRun = () => Promise.reject(new Failure('engine', 'denied', { code: 'E_PERMISSION', engineCode: '42501' }));

it('says what a server did not let us see, and gives no statements without its names', async () => {
  expect(await audit(denied)).toEqual({
    complete: false,
    powers: [],
    notes: [
      'The server did not report what kind of role this is, and which tables it may write to, and which functions it may run.',
    ],
    reader: [],
    shared: [],
  });
});

it('gives a new role a name that is free, and takes from everybody only what everybody has', () => {
  const { reader: lines } = formatReader({
    database: '"a b"',
    schemas: ['s', '"T"'],
    takenNames: ['mole_reader', 'mole_reader_2'],
  });
  expect(lines).toEqual([
    "CREATE ROLE mole_reader_3 LOGIN PASSWORD '<password>'; ALTER ROLE mole_reader_3 SET default_transaction_read_only = on;",
    'GRANT CONNECT ON DATABASE "a b" TO mole_reader_3; GRANT USAGE ON SCHEMA s, "T" TO mole_reader_3; GRANT SELECT ON ALL TABLES IN SCHEMA s, "T" TO mole_reader_3;',
  ]);
  const open = formatReader({ database: 'd', rights: ['TEMPORARY'], openSchemas: ['public'], functions: 'public.f(integer)' });
  expect(open.shared).toEqual([
    'REVOKE TEMPORARY ON DATABASE d FROM PUBLIC;',
    'REVOKE CREATE ON SCHEMA public FROM PUBLIC;',
    'REVOKE EXECUTE ON FUNCTION public.f(integer) FROM PUBLIC;',
  ]);
});

it('does not list schemas where the list would be long', () => {
  const schemas = Array.from({ length: 40 }, (_, at) => `schema_${at}`);
  expect(formatReader({ database: 'd', schemas }).reader[1]).toBe(
    'GRANT CONNECT ON DATABASE d TO mole_reader; GRANT pg_read_all_data TO mole_reader;',
  );
});
