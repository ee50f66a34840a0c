import { canonical } from '../tree.ts';
import { runCommand } from './run-command.ts';
import { decodeSecret, maxSecretBytes, mayRunPrograms, programRefused, type SecretContext } from './secret-context.ts';
import { type Reading, SecretMemory } from './secret-memory.ts';

const defaultTimeoutMs = 15_000;

/** What a program prints, or printed not long ago. Callers say in their own words why there is nothing. */
export async function readFromProgram(argv: readonly string[], context: SecretContext): Promise<Reading> {
  if (!mayRunPrograms(context.origin)) throw programRefused(context);
  const { memory = new SecretMemory(), base: cwd, signal } = context;
  const { reading, use } = await memory.read(canonical([argv, cwd]), (ending) => run(argv, context, ending), signal);
  if ('secret' in reading) context.onUse?.(use);
  return reading;
}

async function run(argv: readonly string[], context: SecretContext, signal: AbortSignal): Promise<Reading> {
  const { env, base: cwd, commandTimeoutMs: timeoutMs = defaultTimeoutMs } = context;
  const result = await runCommand(argv, { env, cwd, timeoutMs, maxBytes: maxSecretBytes, signal });
  const fail = (problem: string, started = true): Reading => ({ problem, started });
  switch (result.outcome) {
    case 'aborted':
      return fail('was ended');
    case 'timeout':
      return fail(`did not end within ${timeoutMs / 1000} s`);
    case 'too-much':
      return fail('printed more than 64 KB');
    case 'not-started':
      return fail(`could not be started (${result.code})`, false);
    case 'failed':
      return fail(`ended with ${result.exit}`);
    case 'done': {
      const secret = decodeSecret(result.output);
      if (secret === undefined) return fail('printed something that is not text in UTF-8');
      return secret === '' ? fail('printed nothing') : { secret };
    }
  }
}
