import { realpathSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../../failure.ts';
import { signals, watchEscapedErrors } from '../../../program/serve.ts';
import { identify } from '../hello.ts';
import { describeUnsafe } from '../socket-path.ts';
import { Clients, type ClientsOptions } from './process-clients.ts';

export interface SharedProcess extends Omit<ClientsOptions, 'identity' | 'exit'> {
  version: string;
}

/** The life of a shared process. Resolves once a client can connect. */
export async function serveShared({ version, ...options }: SharedProcess): Promise<void> {
  const { socket, log } = options;
  const unsafe = process.platform === 'win32' ? undefined : describeUnsafe(dirname(socket), process.getuid?.());
  if (unsafe !== undefined) throw new Failure('config', `the socket cannot be opened: ${unsafe}`);
  const identity = identify({ version, file: realpathSync(process.argv[1] ?? '') });
  const clients = new Clients({ ...options, identity, exit: (code) => process.exit(code) });
  await clients.listen();
  watchEscapedErrors(process, log);
  for (const signal of signals) process.on(signal, () => void clients.stop(signal));
  // The front that has started us waits for this line and reads no other.
  try {
    writeSync(1, 'ready\n');
  } catch {
    log('debug', 'the front that started this process is gone');
  }
}
