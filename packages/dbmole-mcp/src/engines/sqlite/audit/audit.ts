import { accessSync, constants } from 'node:fs';
import type { Capabilities } from '../../../audit/capabilities.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readFilePath } from '../catalog/sizes.ts';

/** What the rights of the file allow this process. A read cannot use them: the file is opened for reading only. */
export async function audit(run: CatalogRun): Promise<Capabilities> {
  const file = await readFilePath(run);
  const isWritable = file !== undefined && mayWrite(file);
  return {
    powers: isWritable ? ['write to the file'] : [],
    complete: true,
    notes: isWritable ? ['Reads open it read-only; "readonly" on the connection also stops execute.'] : [],
    reader: [],
    shared: [],
  };
}

function mayWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
