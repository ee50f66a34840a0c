import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { SecretRef } from '../../connection.ts';
import { forgetSecrets, redact } from '../../redact/redact.ts';
import { failureOf } from '../../testing/failure-of.ts';
import { secretContext } from '../../testing/secret-context.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import type { SecretContext } from './secret-context.ts';
import { resolveSecret } from './secrets.ts';

const folder = useTempFolder();
afterEach(forgetSecrets);

const context = (more: Partial<SecretContext> = {}) => secretContext(folder, more);
const node = (script: string): SecretRef => ({ command: [process.execPath, '-e', script] });
const failing = (ref: SecretRef, more: Partial<SecretContext> = {}) => failureOf(resolveSecret(ref, context(more)));

describe('resolveSecret', () => {
  it('takes literals, variables, files and commands, and remembers what it read', async () => {
    mkdirSync(folder.at('home'));
    writeFileSync(folder.at('pw'), 'from-a-file\n');
    writeFileSync(folder.at('home', 'pw'), 'from-the-home\r\n');
    const read = (ref: SecretRef) => resolveSecret(ref, context());
    expect(await read('a-literal')).toBe('a-literal');
    expect(await read({ env: 'PW' })).toBe('from-the-environment');
    expect(await read({ file: 'pw' })).toBe('from-a-file');
    expect(await read({ file: folder.at('pw') })).toBe('from-a-file');
    expect(await read({ file: '~/pw' })).toBe('from-the-home');
    expect(await read(node('console.log("from-a-command")'))).toBe('from-a-command');
    expect(redact('a-literal from-the-environment from-a-file from-the-home from-a-command')).toBe(
      '[secret] [secret] [secret] [secret] [secret]',
    );
  });

  it('takes away one newline and nothing else', async () => {
    writeFileSync(folder.at('pw'), '  two lines\n\n');
    expect(await resolveSecret({ file: 'pw' }, context())).toBe('  two lines\n');
  });

  it.each([
    [{ env: 'NONE' }, 'E_SECRET_UNSET', 'NONE, which is not set'],
    [{ env: 'EMPTY' }, 'E_SECRET_UNSET', 'EMPTY, which is empty'],
    [{ env: 'toString' }, 'E_SECRET_UNSET', 'is not set'],
    [{ file: 'none' }, 'E_SECRET_FILE', 'does not exist'],
    [{ file: '.' }, 'E_SECRET_FILE', 'not a regular file'],
    [{ file: '/dev/zero' }, 'E_SECRET_FILE', 'not a regular file'],
    [{ file: 'empty' }, 'E_SECRET_FILE', 'is empty'],
    [{ file: 'big' }, 'E_SECRET_FILE', 'larger than 65536 bytes'],
    [{ file: 'binary' }, 'E_SECRET_FILE', 'not text in UTF-8'],
  ])('says why %j cannot be read', async (ref, code, text) => {
    writeFileSync(folder.at('empty'), '\n');
    writeFileSync(folder.at('big'), 'x'.repeat(65_537));
    writeFileSync(folder.at('binary'), Buffer.from([0xff, 0xfe, 0x41]));
    const failure = await failing(ref);
    expect(failure).toMatchObject({ kind: 'secret', code });
    expect(failure.message).toContain(text);
    expect(failure.message).toContain('field password of connection "prod" (/store.json)');
    expect(failure.hint).toBeTruthy();
  });

  it('reads a file of just the allowed size', async () => {
    writeFileSync(folder.at('big'), 'x'.repeat(65_536));
    expect(await resolveSecret({ file: 'big' }, context())).toHaveLength(65_536);
  });
});
