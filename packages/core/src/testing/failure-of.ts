import { type Failure, formatHint, toFailure } from '../failure.ts';

/** What the work fails with. Work that succeeds gives an `internal` failure, which no test expects. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  return toFailure(
    await work.then(
      () => 'it succeeded',
      (error: unknown) => error,
    ),
  );
}

/** The hint as it is shown on the command line, or to a caller of tools on a server that offers all of them. */
export function readHint(failure: Pick<Failure, 'next'> | undefined, door: 'cli' | 'tools' = 'cli'): string {
  return formatHint(failure?.next, door === 'cli' ? { program: 'example-mcp' } : { offers: () => true, readonly: false }) ?? '';
}
