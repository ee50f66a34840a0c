import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { findUnusedPort, readText, ServerProcess } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from './bin.ts';

/** A distinctive secret: no text of mole, of an engine or of Node contains it. With characters that encodings change. */
const canary = (what: string) => `canary/${what}+${randomBytes(9).toString('hex')}"@é`;

const secrets = {
  env: canary('env'),
  variable: canary('variable'),
  file: canary('file'),
  command: canary('command'),
  store: canary('store'),
  project: canary('project'),
  ssh: canary('ssh'),
  passphrase: canary('passphrase'),
  argument: canary('argument'),
};

function encodings(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('hex'),
  ];
  return [...forms, JSON.stringify(JSON.stringify(value)).slice(3, -3), bytes.toString('base64url')];
}

/** Where a text holds a secret, or nothing. */
function leaksIn(text: string): string[] {
  return Object.entries(secrets).flatMap(([name, value]) => (encodings(value).some((form) => text.includes(form)) ? [name] : []));
}

describe('no secret leaves the process', () => {
  const postgres = useEngine('postgres18', { shared: true });
  const mysql = useEngine('mysql97', { shared: true });
  let server: ServerProcess;
  let notSsh: Server;
  let stdout = '';

  beforeAll(async () => {
    // Repeats every byte it gets, as a curious or careless server might.
    notSsh = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
    await new Promise<void>((resolve) => notSsh.listen(0, '127.0.0.1', resolve));
    server = await startWithSecrets();
    server.child.stdout.on('data', (text: string) => {
      stdout += text;
    });
    await server.initialize();
  });
  afterAll(async () => {
    await server.stop();
    notSsh.close();
  });

  async function startWithSecrets(): Promise<ServerProcess> {
    const pg = { type: 'postgres', host: postgres().host, port: postgres().port, user: 'postgres' };
    const my = { type: 'mysql', host: mysql().host, port: mysql().port, user: 'root' };
    const closed = await findUnusedPort();
    const address = notSsh.address();
    const echoPort = typeof address === 'object' && address !== null ? address.port : 0;
    const server = new ServerProcess({
      file: bin,
      env: {
        DBMOLE_LOG: 'debug',
        CANARY_VARIABLE: secrets.variable,
        DBMOLE_CONNECTIONS: JSON.stringify([
          { ...pg, name: 'env-pg', password: secrets.env },
          { ...my, name: 'env-my', password: secrets.env },
          { ...pg, name: 'env-wrong-type', password: [secrets.env] },
          { ...pg, name: 'env-unknown-key', passwort: secrets.env },
          { ...pg, name: 'env-url-in-host', host: `postgres://me:${encodeURIComponent(secrets.env)}@127.0.0.1:1/db` },
        ]),
      },
    });
    const folder = join(server.home, '.config', 'dbmole');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const secretFile = join(server.home, 'secret.txt');
    writeFileSync(secretFile, secrets.file, { mode: 0o600 });
    const print = [
      process.execPath,
      '-e',
      'process.stderr.write(process.argv[1]); process.stdout.write(process.argv[1])',
      secrets.command,
    ];
    const encryptedKey = join(server.home, 'key');
    writeFileSync(encryptedKey, `-----BEGIN OPENSSH PRIVATE KEY-----\n${Buffer.from(secrets.passphrase).toString('base64')}\n`, {
      mode: 0o600,
    });
    const ssh = { host: '127.0.0.1', port: echoPort, user: 'me', password: secrets.ssh };
    const connections = [
      { ...pg, name: 'store-pg', password: secrets.store },
      { ...pg, name: 'store-variable', password: '${CANARY_VARIABLE}' },
      { ...pg, name: 'store-user', user: '${CANARY_VARIABLE}', password: 'x' },
      { ...pg, name: 'store-env', password: { env: 'CANARY_VARIABLE' } },
      { ...pg, name: 'store-file', password: { file: secretFile } },
      { ...pg, name: 'store-command', password: { command: print } },
      { ...my, name: 'store-my-command', password: { command: print } },
      {
        ...pg,
        name: 'store-command-fails',
        password: { command: [process.execPath, '-e', 'console.error(process.argv[1]); process.exit(3)', secrets.command] },
      },
      { ...pg, name: 'store-refused', port: closed, password: secrets.store },
      { ...pg, name: 'store-tunnel', password: secrets.store, ssh },
      { ...pg, name: 'store-tunnel-refused', password: secrets.store, ssh: { ...ssh, port: closed } },
      {
        ...pg,
        name: 'store-key',
        password: secrets.store,
        ssh: { ...ssh, privateKey: encryptedKey, passphrase: secrets.passphrase },
      },
      { ...pg, name: 'store-wrong', password: { [secrets.store]: secrets.store } },
      { ...pg, name: 'editable', password: secrets.store },
    ];
    writeFileSync(join(folder, 'connections.json'), JSON.stringify({ version: 1, connections }), { mode: 0o600 });
    const project = {
      version: 1,
      connections: [{ ...pg, name: 'project-pg', password: secrets.project, port: secrets.project }],
    };
    writeFileSync(join(server.home, '.dbmole.json'), JSON.stringify(project));
    return server;
  }

  it('lists, with many things wrong', async () => {
    const listed = readText(await server.callTool('list_connections'));
    for (const name of ['env-pg', 'env-wrong-type', 'store-command', 'store-wrong']) expect(listed).toContain(name);
    expect(leaksIn(listed)).toEqual([]);
  });

  it.each([
    'env-pg',
    'env-my',
    'env-wrong-type',
    'env-unknown-key',
    'env-url-in-host',
    'store-pg',
    'store-variable',
    'store-user',
    'store-env',
    'store-file',
    'store-command',
    'store-my-command',
    'store-command-fails',
    'store-refused',
    'store-tunnel',
    'store-tunnel-refused',
    'store-key',
    'store-wrong',
    'project-pg',
  ])('fails to connect by %s', async (name) => {
    const answer = await server.callTool('test_connection', { name });
    expect(answer.result?.isError).toBe(true);
    expect(leaksIn(JSON.stringify(answer))).toEqual([]);
  });

  it.each([
    ['add_connection', { name: 'x', type: 'postgres', host: 'h', user: 'u', password: [secrets.argument] }],
    ['add_connection', { name: 'x', type: 'postgres', host: 'h', user: 'u', pasword: secrets.argument }],
    ['add_connection', { name: 'x', type: 'postgres', host: 'h', user: 'u', password: { env: secrets.argument } }],
    ['add_connection', { name: 'editable', type: 'postgres', host: 'h', user: 'u', password: secrets.argument }],
    ['update_connection', { name: 'editable', host: 'elsewhere' }],
    ['update_connection', { name: 'missing', password: secrets.argument }],
    ['update_connection', { name: 'env-pg', password: secrets.argument }],
    ['update_connection', { name: 'editable', password: secrets.argument, port: 1 }],
    ['test_connection', { name: 'editable' }],
    ['remove_connection', { name: 'editable' }],
  ])('%s says nothing of a secret', async (tool, args) => {
    expect(leaksIn(JSON.stringify(await server.callTool(tool, args)))).toEqual([]);
  });

  it('wrote none to its output, its log or a file but the store', async () => {
    const exit = await server.stop().catch(() => undefined);
    expect(exit).toBeDefined();
    expect(stdout.length).toBeGreaterThan(5_000);
    expect(leaksIn(stdout)).toEqual([]);
    expect(server.stderr.length).toBeGreaterThan(100);
    expect(leaksIn(server.stderr)).toEqual([]);
  });
});
