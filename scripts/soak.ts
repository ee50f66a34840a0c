/**
 * `npm run soak`: a hundred thousand calls over eight connections, some of them given up, while engines and the bastion restart.
 * Exits with 1 when an answer was wrong, or the server holds more at the end than when it was warm.
 * Options: --calls 100000, --disturbances 40, --seed N (another one each time), --megabytes 40 (of growth).
 */
import { parseArgs } from 'node:util';
import { soak } from '../packages/dbmole-mcp/test/soak/soak.ts';
import type { SoakState } from '../packages/dbmole-mcp/test/soak/soak-state.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '100000' },
      disturbances: { type: 'string', default: '40' },
      seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000)) },
      megabytes: { type: 'string', default: '40' },
    },
  });
  const calls = wholeNumber('calls', values.calls);
  const seed = wholeNumber('seed', values.seed);
  const started = Date.now();
  console.log(`seed ${seed}, ${calls} calls`);
  const result = await soak({
    calls,
    seed,
    disturbances: wholeNumber('disturbances', values.disturbances),
    report: (line) => console.log(`${((Date.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${line}`),
  });
  const { right, disturbed, cancelled } = result.outcomes;
  console.log(`${result.made} calls: ${right} right, ${cancelled} given up, ${disturbed} while something was away`);
  console.log(`before ${JSON.stringify(result.before)}\nafter  ${JSON.stringify(result.after)}`);
  const problems = [...result.problems, ...growth(result.before, result.after, wholeNumber('megabytes', values.megabytes))];
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(`${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function growth(before: SoakState, after: SoakState, megabytes: number): string[] {
  const names = ['sockets', 'files', 'children', 'sessions', 'megabytes'] as const;
  return names
    .filter((name) => after[name] > before[name] + (name === 'megabytes' ? megabytes : 0))
    .map((name) => `${name}: ${before[name]} before, ${after[name]} after`);
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} takes a whole number, got ${text}`);
  return number;
}

await main();
