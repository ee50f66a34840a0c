/**
 * `npm run demo`: a real PostgreSQL, the built server as a client starts it, and a session with it from the first call to an
 * error and its way out. Everything is made for the demo and gone afterwards.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@dbmole/engines';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { root, runStep } from './steps.ts';

const built = runStep({ name: 'build dbmole-mcp', command: ['tsx', 'scripts/build.ts', 'dbmole-mcp'] });
if (!built) process.exit(1);

const home = mkdtempSync(join(tmpdir(), 'dbmole-demo-'));
const postgres = await startEngine('postgres18');
const client = new Client({ name: 'demo', version: '1.0.0' });
try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, 'packages/dbmole-mcp/dist/main.js')],
      // An empty home: the demo must not see, or touch, the connections of whoever runs it.
      env: { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: join(home, '.config') },
      cwd: home,
    }),
  );
  await session();
} finally {
  await client.close();
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
}

async function session(): Promise<void> {
  const { host, port, user, password } = postgres;
  say('The server starts without touching a database. What is there?');
  await call('list_connections', {});
  say('Save a connection, read-only, and try it.');
  await call('add_connection', { name: 'shop', type: 'postgres', host, port, user, password, readonly: true });
  await call('test_connection', { name: 'shop' });
  await call('list_connections', {});
  say('A slip of the pen is answered with the way out.');
  await call('test_connection', { name: 'shpo' });
  await call('add_connection', { name: 'shop2', type: 'postgre', host, user });
  say('readonly is a promise: no tool takes it back.');
  await call('update_connection', { name: 'shop', readonly: false });
  say('A saved password is not sent to a host that a tool chose.');
  await call('update_connection', { name: 'shop', host: 'db.attacker.example' });
  say('That was the connection half. The tools that read and write data come next.');
}

function say(text: string): void {
  console.log(`\n\u001b[1m${text}\u001b[0m`);
}

async function call(name: string, args: Record<string, unknown>): Promise<void> {
  const shown = 'password' in args ? { ...args, password: '…' } : args;
  console.log(`\n→ ${name} ${JSON.stringify(shown)}`);
  const reply = await client.callTool({ name, arguments: args });
  const content: readonly unknown[] = Array.isArray(reply.content) ? reply.content : [];
  for (const block of content) {
    const text: unknown = typeof block === 'object' && block !== null ? Reflect.get(block, 'text') : '';
    console.log(String(text).replace(/^/gm, '  '));
  }
}
