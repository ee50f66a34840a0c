import { existsSync } from 'node:fs';
import { createTokenFile } from '../http/token-file.ts';

/** The token of this user's servers; undefined before the first start, and a server may need no token. */
export function readServerToken(stateFolder: string): string | undefined {
  const file = createTokenFile(stateFolder);
  return existsSync(file.path) ? file.read() : undefined;
}
