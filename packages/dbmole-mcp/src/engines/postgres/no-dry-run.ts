import { Failure } from '@dbmole/core';

export interface NoDryRunDetails {
  engineCode?: string;
  position?: number | undefined;
}

export function noDryRunFailure(why: string, details: NoDryRunDetails = {}): Failure {
  return new Failure('refused', `a dry run is not possible: ${why}`, {
    code: 'E_NO_DRY_RUN',
    hint: 'It takes effect at once and cannot be rolled back; run it without the dry run if that is wanted.',
    ...details,
  });
}
