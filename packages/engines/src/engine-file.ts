import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engineUser, giveToEngineUser } from '@dbmole/local-engine';
import type { EngineTls, TlsFiles } from './engine.ts';
import { runCommand } from './run/run-command.ts';

/** A file that the server reads. Some refuse a key that anyone else could read too. */
export async function writeEngineFile(path: string, text: string): Promise<string> {
  await writeFile(path, text, { mode: 0o600 });
  await giveToEngineUser(path);
  return path;
}

/** Always under the same names, so a test can exchange them under a running server. */
export async function writeTlsFiles(directory: string, tls: EngineTls): Promise<TlsFiles> {
  return {
    ca: await writeEngineFile(join(directory, 'ca.crt'), tls.ca),
    certificate: await writeEngineFile(join(directory, 'server.crt'), tls.certificate),
    key: await writeEngineFile(join(directory, 'server.key'), tls.key),
  };
}

/** All of a directory that we filled. */
export async function giveTreeToEngineUser(directory: string): Promise<void> {
  const { uid, gid } = engineUser();
  if (uid !== undefined) await runCommand({ command: 'chown', args: ['-R', `${uid}:${gid}`, directory] });
}
