import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '../../../testing/use-temp-folder.ts';
import type { Hello } from '../hello.ts';
import type { Machine } from '../socket-path.ts';
import { meet } from './meet.ts';
import { requireJoined } from './start-process.ts';

const folder = useTempFolder();
const hello: Hello = { protocol: 1, version: '1.0.0', program: '/p', stamp: 's', want: 'serve' };

function ask() {
  const machine: Machine = {
    ...{ env: {}, home: folder.path, temporary: folder.path },
    ...{ platform: 'linux', uid: process.getuid?.() },
  };
  return meet(folder.at('s.sock'), hello, machine);
}

/** A process that says this line to each front. */
async function listen(line: string): Promise<void> {
  chmodSync(folder.path, 0o700);
  const server = createServer((socket) => void socket.on('error', () => undefined).end(line));
  await new Promise<void>((resolve) => server.listen(folder.at('s.sock'), resolve));
  onTestFinished(() => void server.close());
}

describe('meet', () => {
  it('joins a process of the same version', async () => {
    await listen(`${JSON.stringify({ ...hello, pid: 1 })}\n`);
    const meeting = await ask();
    expect(meeting.kind).toBe('joined');
    requireJoined(meeting).destroy();
  });

  it('finds nothing without a socket, and where a process ends at once', async () => {
    expect(await ask()).toEqual({ kind: 'absent' });
    await listen('');
    expect(await ask()).toEqual({ kind: 'absent' });
  });

  it.each([
    ['older', { version: '0.9.0' }, 'the process ended at once'],
    ['newer', { protocol: 2, version: '3.0.0' }, 'process 1 is of a newer version (3.0.0)'],
    ['refused', { refused: 'no such tool' }, 'no such tool'],
  ] as const)('tells a process that is %s', async (kind, fields, reason) => {
    await listen(`${JSON.stringify({ ...hello, pid: 1, ...fields })}\n`);
    const meeting = await ask();
    expect(meeting.kind).toBe(kind);
    expect(() => requireJoined(meeting)).toThrow(reason);
  });

  it('refuses another program, and what is no socket', async () => {
    await listen('220 mail.example.com ESMTP\n');
    await expect(ask()).rejects.toThrow('another program listens');
  });

  it('refuses a file in the place of the socket', async () => {
    writeFileSync(folder.at('s.sock'), '');
    await expect(ask()).rejects.toThrow('is not a socket');
  });
});
