import { fileURLToPath } from 'node:url';
import { runFront } from '@dbmole/core/shared-front';
import { files, flags, program, settings } from './options.ts';

/** Whether a process that is shared serves this client. The hub itself is not loaded for it. */
export function joinShared(file: string): Promise<boolean> {
  return runFront({
    ...program,
    ...{ file: fileURLToPath(file), settings, flags, urlVariable: '', variables: /^$/ },
    other: files,
  });
}
