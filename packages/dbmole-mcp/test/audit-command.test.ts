import { execFile, spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ServerProcess, useTempFolder } from '@dbmole/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bin } from './bin.ts';

const run = promisify(execFile);
const folder = useTempFolder();

async function start(args: readonly string[], options: { file?: string; node?: string } = {}): Promise<ServerProcess> {
  const server = new ServerProcess({ file: bin, args, ...options });
  onTestFinished(async () => void (await server.stop()));
  await server.initialize();
  return server;
}

const line = (call: string, time: string) =>
  JSON.stringify({
    time,
    call,
    trace: 't',
    door: 'stdio',
    client: `c\u202e ${'x'.repeat(200)}`,
    principal: 'p',
    tool: 'query',
    verdict: 'ok',
  });

describe('the audit log of several processes', () => {
  it('loses no line and tears none while a full file is put aside', async () => {
    const path = folder.at('shared.jsonl');
    const old = `${line('old', '2026-01-01T00:00:00.000Z')}\n`;
    writeFileSync(path, old.repeat(Math.floor((16 * 1024 * 1024 - 30_000) / old.length)), { mode: 0o600 });
    const servers = await Promise.all([start(['--audit', path]), start(['--audit', path])]);
    const calls = servers.flatMap((server) => Array.from({ length: 150 }, () => server.callTool('list_connections')));
    await Promise.all(calls);
    await Promise.all(servers.map((server) => server.stop()));
    expect(statSync(`${path}.1`).size).toBeGreaterThan(16 * 1024 * 1024);
    const { stdout } = await run(process.execPath, [bin, 'audit', path, '--tool', 'list_connections', '--json'], {
      maxBuffer: 1e8,
    });
    const found = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(new Set(found.map(({ call }) => call)).size).toBe(300);
  }, 60_000);

  it('is followed across files, and shows nothing that cannot be seen', async () => {
    const path = folder.at('followed.jsonl');
    const server = await start(['--audit', path]);
    await server.callTool('list_connections');
    const follower = spawn(process.execPath, [bin, 'audit', '--follow', '--since', '1h'], {
      env: { ...process.env, DBMOLE_AUDIT: path },
    });
    onTestFinished(() => void follower.kill('SIGKILL'));
    let shown = '';
    follower.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const count = () => shown.match(/list_connections/g)?.length ?? 0;
    await expect.poll(count, { timeout: 10_000 }).toBe(1);
    await run('mv', [path, `${path}.1`]);
    for (let i = 0; i < 3; i += 1) await server.callTool('list_connections');
    await expect.poll(count, { timeout: 10_000 }).toBe(4);
    follower.kill('SIGINT');
    expect(await new Promise((resolve) => follower.once('exit', resolve))).toBe(0);
    writeFileSync(path, `${line('odd', new Date().toISOString())}\n`, { mode: 0o600 });
    const { stdout } = await run(process.execPath, [bin, 'audit', path]);
    expect(stdout).toContain('U+202E');
    expect(stdout).not.toContain('\u202e');
  }, 40_000);

  it('refuses changes and serves reads on a full disk', async () => {
    const path = folder.at('full.jsonl');
    // The largest file of the process takes the part of the disk; a shell counts it in blocks of 1 KB.
    const node = folder.at('node-on-full-disk');
    writeFileSync(node, `#!/usr/bin/env bash\nulimit -f 4\nexec ${JSON.stringify(process.execPath)} "$@"\n`, { mode: 0o755 });
    const server = await start(['--audit', path], { node });
    const connection = { name: 'x', url: 'postgres://a@127.0.0.1:1/x' };
    const texts: string[] = [];
    for (let i = 0; i < 40; i += 1) texts.push(JSON.stringify(await server.callTool('list_connections')));
    expect(texts.filter((text) => /the audit log .* cannot be written \(E(?:FBIG|NOSPC)\)/.test(text))).toHaveLength(1);
    expect(JSON.stringify(await server.callTool('add_connection', connection))).toContain('E_AUDIT');
    expect(JSON.stringify(await server.callTool('list_connections'))).not.toContain('"x"');
    for (const text of readFileSync(path, 'utf8').split('\n').slice(0, -1)) expect(() => JSON.parse(text)).not.toThrow();
    expect(server.stderr).toContain('the audit log');
  }, 40_000);

  it('says what is wrong with a path, a time or a number', async () => {
    const fails = async (...args: string[]) =>
      await run(process.execPath, [bin, 'audit', ...args], { env: { PATH: process.env.PATH, HOME: folder.path } }).then(
        () => 'none',
        (error: { stderr?: string }) => error.stderr ?? '',
      );
    expect(await fails()).toContain('no audit log is named');
    expect(await fails(folder.at('none'))).toContain('there is no such file');
    expect(await fails(folder.at('none'), '--since', 'x')).toContain('invalid --since "x": expected 30m, 2h, 7d or a date');
  }, 30_000);
});
