/**
 * `npm run fuzz`: statements without end against the guards, for as long as one likes. Exits with 1 when the guard took something
 * for a read that did more.
 * Options: --minutes 10, --seed N (another one each time), --only postgres|bodies|mysql; bodies are those of PostgreSQL's functions.
 */
import { parseArgs } from 'node:util';
import { fuzzMysql } from '../packages/dbmole-mcp/test/guard/mysql-fuzz.ts';
import { fuzzBodies } from '../packages/dbmole-mcp/test/guard/postgres-body-fuzz.ts';
import { fuzzPostgres } from '../packages/dbmole-mcp/test/guard/postgres-fuzz.ts';

const fuzzers = { postgres: fuzzPostgres, bodies: fuzzBodies, mysql: fuzzMysql };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' }, only: { type: 'string' } },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes takes a number above 0, got ${values.minutes}`);
  const seed = Number(values.seed ?? Math.floor(Date.now() / 1_000));
  if (!Number.isInteger(seed)) throw new Error(`--seed takes a whole number, got ${values.seed}`);
  const chosen = Object.entries(fuzzers).filter(([name]) => values.only === undefined || values.only === name);
  if (chosen.length === 0) throw new Error(`--only takes ${Object.keys(fuzzers).join(' or ')}, got ${values.only}`);

  for (const [name, fuzz] of chosen) {
    const signal = AbortSignal.timeout((minutes * 60_000) / chosen.length);
    console.log(`${name}: seed ${seed}, ${minutes / chosen.length} minutes`);
    const { made, accepted, ran, found } = await fuzz({ seed, statements: Number.MAX_SAFE_INTEGER, signal });
    console.log(`${name}: ${made} made, ${accepted} taken for reads, ${ran} ran, ${found.length} did more`);
    for (const { where, sql } of found) console.log(`  ${where}: ${JSON.stringify(sql)}`);
    if (found.length > 0) process.exitCode = 1;
  }
}

await main();
