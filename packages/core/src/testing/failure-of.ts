import { type Failure, toFailure } from '../failure.ts';

/** What the work fails with. Work that succeeds gives an `internal` failure, which no test expects. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  return toFailure(
    await work.then(
      () => 'it succeeded',
      (error: unknown) => error,
    ),
  );
}
