import { Failure } from '@dbmole/core/failure';

export interface NoDryRunDetails {
  engineCode?: string;
  position?: number | undefined;
}

export function noDryRunFailure(why: string, details: NoDryRunDetails = {}): Failure {
  return new Failure('refused', `a dry run is not possible: ${why}`, {
    code: 'E_NO_DRY_RUN',
    hint: 'Run it without the dry run if that is intended; it takes effect at once.',
    ...details,
  });
}
