import { parentPort, workerData } from 'node:worker_threads';
import ssh2 from 'ssh2';

/**
 * Decrypts one private key of OpenSSH, away from the main thread: the work that protects its passphrase takes seconds.
 * Plain JavaScript, because the runtime loads it as it stands, also from the source.
 *
 * @typedef {{ text: string, passphrase: string }} Sealed
 * @typedef {{ pem: string } | { error: string }} Opened
 */

/** @type {(sealed: Sealed) => Opened} */
function open({ text, passphrase }) {
  try {
    const parsed = ssh2.utils.parseKey(text, passphrase);
    const key = Array.isArray(parsed) ? parsed[0] : parsed;
    return key instanceof Error ? { error: key.message } : { pem: key.getPrivatePEM() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(open(workerData));
