import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { changeFile } from '../../files/change-file.ts';
import { readSmallFile } from '../../files/read-file.ts';

/** What a file was before we changed it, so that it can be restored exactly as long as only we have changed it. */
export interface Installed {
  path: string;
  /** The hash of the text that we wrote; the text itself is kept only in the copy beside it. */
  after: string;
  /** The hash of the earlier file; null if there was no file. */
  before: string | null;
}

const shape = z.object({
  version: z.literal(1),
  installed: z.array(z.object({ path: z.string(), after: z.string(), before: z.string().nullable() })),
});

export function recordPathFor(storePath: string): string {
  return join(dirname(storePath), 'installed.json');
}

export function hashSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function findInstalled(recordPath: string, path: string): Installed | undefined {
  return parse(readSmallFile(recordPath)?.bytes).find((one) => one.path === path);
}

/** Undefined forgets it. */
export async function rememberInstalled(recordPath: string, path: string, entry: Installed | undefined): Promise<void> {
  await changeFile({
    path: recordPath,
    edit: (image) => {
      const others = parse(image?.bytes).filter((one) => one.path !== path);
      const installed = entry === undefined ? others : [...others, entry];
      return `${JSON.stringify({ version: 1, installed }, null, 2)}\n`;
    },
  });
}

/** A record that cannot be read is as good as none: it only makes taking back more exact. */
function parse(bytes: Uint8Array | undefined): Installed[] {
  if (bytes === undefined) return [];
  try {
    return shape.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).installed;
  } catch {
    return [];
  }
}
