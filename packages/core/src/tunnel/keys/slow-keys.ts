import { createHmac, randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/**
 * Keys of OpenSSH with a passphrase are protected by bcrypt, which is meant to be slow: 0.2 s by default and several
 * seconds where a person asked for it (`ssh-keygen -a 100`). A thread of its own does it, once per key and process.
 */
export function isSlowKey(text: string): boolean {
  const base64 = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]*)/.exec(text)?.[1] ?? '';
  const header = Buffer.from(base64.slice(0, 200), 'base64').toString('latin1');
  // Magic word, then the names of cipher and protection, each after four bytes with its length.
  return header.startsWith('openssh-key-v1\0') && header.slice(15).includes('\0\0\0\u0006bcrypt');
}

/** Unique to this process: the memory must not hold a plain hash of a passphrase. */
const secret = randomBytes(32);
const opened = new Map<string, Promise<string>>();

/** The key without its passphrase, as PEM. Rejects with the complaint of ssh2; a key that was opened stays in memory. */
export function openSlowKey(text: string, passphrase: string): Promise<string> {
  const name = createHmac('sha256', secret).update(`${text.length} ${text}`).update(passphrase).digest('base64');
  const known = opened.get(name);
  if (known !== undefined) return known;
  const pem = decrypt(text, passphrase);
  opened.set(name, pem);
  pem.catch(() => opened.delete(name));
  return pem;
}

function decrypt(text: string, passphrase: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./key-worker.js', import.meta.url), {
      workerData: { text, passphrase },
      env: {},
      execArgv: [],
      // The first of our pipes is the protocol's.
      stdout: true,
      stderr: true,
    });
    worker.once('message', (answer: { pem: string } | { error: string }) => {
      if ('pem' in answer) resolve(answer.pem);
      else reject(new Error(answer.error));
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread that opens keys ended')));
  });
}
