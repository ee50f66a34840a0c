import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { changeFile } from '../files/change-file.ts';
import { isWritableByOthers } from '../files/read-file.ts';

const keyPattern = /^[0-9a-f]{64}$/;

/** The key for the pseudonyms of one connection. It is derived from one that is made once, in a file for its owner only. */
export async function readPseudonymKey(folder: string, connection: string): Promise<Buffer> {
  const path = join(folder, 'pseudonym-key');
  let key = '';
  await changeFile({
    path,
    edit(image) {
      key = image?.bytes.toString('utf8').trim() ?? randomBytes(32).toString('hex');
      if (!keyPattern.test(key) || (image !== undefined && isWritableByOthers(image))) throw unusableKey(path);
      return image === undefined ? `${key}\n` : undefined;
    },
  });
  return createHmac('sha256', Buffer.from(key, 'hex')).update(connection).digest();
}

/** It is not replaced silently: all pseudonyms would change, and a copy of the old one may be needed. */
function unusableKey(path: string): Failure {
  return new Failure('secret', `${path} does not hold a key, or other users could have written it`, {
    code: 'E_SECRET_FILE',
    hint: 'Delete the file: a new key is made, and all pseudonyms change.',
  });
}
