import { accessSync, constants } from 'node:fs';
import type { Capabilities } from '../../../audit/capabilities.ts';
import type { CatalogRun } from '../../../engine.ts';

/** What the rights of the file allow this process. A read cannot use them: the file is opened for reading only. */
export async function audit(run: CatalogRun): Promise<Capabilities> {
  const [row] = await run("select file from pragma_database_list where name = 'main'");
  const file = row?.[0];
  const isWritable = file ? mayWrite(file) : false;
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
