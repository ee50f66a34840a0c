import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { SecretRef } from '../src/connection.ts';
import { forgetSecrets } from '../src/redact/redact.ts';
import type { SecretContext } from '../src/registry/secrets/secret-context.ts';
import { resolveSecret } from '../src/registry/secrets/secrets.ts';
import { failureOf } from '../src/testing/failure-of.ts';
import { secretContext } from '../src/testing/secret-context.ts';
import { useTempFolder } from '../src/testing/use-temp-folder.ts';

const folder = useTempFolder();
afterEach(forgetSecrets);

const context = (more: Partial<SecretContext> = {}) => secretContext(folder, more);
const node = (script: string): SecretRef => ({ command: [process.execPath, '-e', script] });
const failing = (ref: SecretRef, more: Partial<SecretContext> = {}) => failureOf(resolveSecret(ref, context(more)));

describe('commands', () => {
  it.each([
    ['process.stderr.write("canary-stderr"); process.exit(3)', 'ended with exit code 3'],
    ['process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 9999)', 'ended with signal SIGTERM'],
    ['', 'printed nothing'],
    ['console.log()', 'printed nothing'],
    ['process.stdout.write("x".repeat(1e6))', 'printed more than 64 KB'],
    ['process.stdout.write(Buffer.from([0xff]))', 'not text in UTF-8'],
  ])('%s', async (script, text) => {
    const failure = await failing(node(script));
    expect(failure).toMatchObject({ kind: 'secret', code: 'E_SECRET_COMMAND' });
    expect(failure.message).toContain(text);
    expect(`${failure.message} ${failure.hint}`).not.toContain('canary');
  });

  it('get no shell, no stdin, and run beside their file', async () => {
    const script = 'console.log(process.argv[1], require("fs").readFileSync(0).length, process.cwd())';
    const value = await resolveSecret({ command: [process.execPath, '-e', script, '$(id); `id`'] }, context());
    expect(value).toBe(`$(id); \`id\` 0 ${folder.path}`);
  });

  it('name the program only', async () => {
    const failure = await failing({ command: ['no-such-program', 'canary-argument'] });
    expect(failure.message).toContain('no-such-program, which could not be started (ENOENT)');
    expect(`${failure.message} ${failure.hint}`).not.toContain('canary');
  });

  it('are ended with all they started when they take too long', async () => {
    const inner = `require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)`;
    const outer = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], {stdio: "inherit"})`;
    const failure = await failing(node(`${outer}; setInterval(() => {}, 1000)`), { commandTimeoutMs: 1_500 });
    expect(failure.message).toContain('did not end within 1.5 s');
    expect(existsSync(folder.at('pid'))).toBe(true);
    await expectGone(folder.at('pid'));
  });

  it('are ended by the signal, and not started after it', async () => {
    const controller = new AbortController();
    const pending = failing(node('require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)'), {
      signal: controller.signal,
    });
    while (!existsSync(folder.at('pid'))) await delay(10);
    await delay(20);
    controller.abort();
    expect((await pending).kind).toBe('cancelled');
    await expectGone(folder.at('pid'));
    expect((await failing(node('require("fs").writeFileSync("late", "")'), { signal: controller.signal })).kind).toBe(
      'cancelled',
    );
    expect(existsSync(folder.at('late'))).toBe(false);
  });

  it('do not wait for what they leave running with the pipe', async () => {
    const inner = 'require(`fs`).writeFileSync(`pid`, String(process.pid)); setInterval(() => {}, 1000)';
    const outer = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], {stdio: ["ignore", "inherit", "ignore"], detached: true}).unref()`;
    const value = await resolveSecret(
      node(`process.stdout.write("value-of-it"); ${outer}`),
      context({ commandTimeoutMs: 30_000 }),
    );
    expect(value).toBe('value-of-it');
    await expect.poll(() => existsSync(folder.at('pid'))).toBe(true);
    await expect.poll(() => readFileSync(folder.at('pid'), 'utf8')).not.toBe('');
    process.kill(Number(readFileSync(folder.at('pid'), 'utf8')), 'SIGKILL');
    await expectGone(folder.at('pid'));
  });

  it('never run for the environment variable', async () => {
    const failure = await failing(node('require("fs").writeFileSync("ran", "")'), {
      origin: { kind: 'env', where: 'X_CONNECTIONS' },
    });
    expect(failure).toMatchObject({ kind: 'secret', code: 'E_SECRET_COMMAND' });
    expect(existsSync(folder.at('ran'))).toBe(false);
  });
});

async function expectGone(pidFile: string): Promise<void> {
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await expect.poll(() => isRunning(pid), { timeout: 5_000 }).toBe(false);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // There may be no parent to reap an orphan that has ended.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
