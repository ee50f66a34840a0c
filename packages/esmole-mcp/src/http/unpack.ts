import { createGunzip } from 'node:zlib';
import { Failure } from '@dbmole/core';

/** The receiver of the decompressed bytes. */
export interface Unpacked {
  take(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Takes a body as it was sent. */
export interface Unpacker {
  /** Whether there is room for more; when not, `drained` is called once there is. */
  write(chunk: Buffer, drained: () => void): boolean;
  end(): void;
  dispose(): void;
}

/** Emits nothing after `dispose`. Throws for an encoding that was not requested. */
export function createUnpacker(encoding: string, into: Unpacked): Unpacker {
  if (encoding === '' || encoding === 'identity') return createPassage(into);
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzipper(into);
  throw new Failure('connection', `the answer has the unrequested encoding ${JSON.stringify(encoding)}`, {
    code: 'E_NOT_HTTP',
    hint: 'Check the settings of proxies in between.',
  });
}

function createPassage(into: Unpacked): Unpacker {
  return {
    write(chunk) {
      into.take(chunk);
      return true;
    },
    end: () => into.end(),
    dispose: () => undefined,
  };
}

function createGunzipper({ take, end, fail }: Unpacked): Unpacker {
  const plain = createGunzip().on('data', take).on('end', end).on('error', fail);
  return {
    write(chunk, drained) {
      const hasRoom = plain.write(chunk);
      if (!hasRoom) plain.once('drain', drained);
      return hasRoom;
    },
    end: () => plain.end(),
    dispose() {
      // It may still be decompressing, and its output is no longer wanted.
      plain.off('data', take).off('end', end).destroy();
    },
  };
}
