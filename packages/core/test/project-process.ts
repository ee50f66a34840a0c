import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openProject } from '../src/doors/project/open-project.ts';
import { parsePort } from '../src/doors/project/ports.ts';

/**
 * A server of a project: prints its port, or why it did not start, and exits with 1 then. SIGTERM lets it drain for a moment, as a
 * server does that still has calls.
 */
const [stateFolder = '', root = '', port = '', takeover = ''] = process.argv.slice(2);
const server = createServer((_request, response) => response.end('{"clients":0,"calls":0}'));

const listen = (one: number) =>
  new Promise<number>((resolve, reject) => {
    // A server that listens on a port has this form of address.
    server.once('error', reject).listen(one, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

async function main(): Promise<void> {
  const project = await openProject({
    stateFolder,
    root,
    port: port === '' ? undefined : parsePort(port),
    takeover: takeover !== '',
    listen,
    urlFor: (one) => `http://127.0.0.1:${one}/mcp`,
    warn: ({ message }) => process.stderr.write(`${message}\n`),
    projectFileName: '.thing.json',
    storePath: `${stateFolder}/connections.json`,
  });
  process.once('SIGTERM', () => setTimeout(() => server.close(() => void project.close()), 200));
  process.stdout.write(`${project.port}\n`);
}

await main().catch((error: Error) => {
  process.stdout.write(`${error.message}\n`);
  process.exit(1);
});
