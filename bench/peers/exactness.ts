/** A value that is easily told wrong, and what every exact answer says of it somewhere. */
interface ExactValue {
  sql: string;
  says: RegExp;
}

const large = /9007199254740993/;

export const exactValues: readonly ExactValue[] = [
  { sql: 'select 9007199254740993::bigint as v', says: large },
  { sql: "select '{9007199254740993}'::bigint[] as v", says: large },
  { sql: `select '{"n": 9007199254740993}'::json as v`, says: large },
  { sql: `select '{"n": 9007199254740993}'::jsonb as v`, says: large },
  { sql: 'select 12345678901234567890.123456789::numeric as v', says: /12345678901234567890\.123456789/ },
  { sql: 'select 1.10::numeric(10, 2) as v', says: /1\.10/ },
  { sql: "select timestamp '2026-01-02 03:04:05.678901' as v", says: /05\.678901/ },
  { sql: "select timestamptz '2026-01-02 03:04:05.678901+00' as v", says: /05\.678901/ },
  { sql: "select date '0044-03-15 BC' as v", says: /0044-03-15 BC/ },
  { sql: "select 'infinity'::timestamp as v", says: /infinity/i },
  { sql: `select '\\xdeadbeef'::bytea as v`, says: /deadbeef/i },
  { sql: "select interval '1 month 2 days 03:04:05.678901' as v", says: /05\.678901/ },
  { sql: 'select 11 as v, 22 as v', says: /11[\s\S]*22/ },
  { sql: "select b'0101' as v", says: /0101/ },
];
