/**
 * The least that a read by a server over stdio takes: a line of JSON comes in, the driver runs the statement in a read-only transaction
 * in one round trip, a line of JSON goes out. The connection is in the environment.
 */
import { createInterface } from 'node:readline';
import pg from 'pg';

const client = new pg.Client(JSON.parse(process.env.CONNECTION ?? '{}'));
await client.connect();
for await (const line of createInterface({ input: process.stdin })) {
  const { id, sql } = JSON.parse(line);
  const results = await client.query({ text: `begin read only; ${sql}; rollback`, rowMode: 'array' });
  process.stdout.write(`${JSON.stringify({ id, rows: results[1].rows })}\n`);
}
await client.end();
