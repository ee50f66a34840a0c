import { readSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { LineReader } from '@dbmole/core/line-reader';
import { authorizeRead } from './authorizer.ts';
import {
  type FailedMessage,
  type FromProcess,
  goOn,
  type OpenRequest,
  type RunRequest,
  stop,
  type ToProcess,
} from './messages.ts';
import { ChangedFileError, LeftWalError, LinkError, type OpenedFile, openFile } from './open-file.ts';
import { runStatement } from './run-statement.ts';

/**
 * The program of the process that opens a file. Everything in it is synchronous, as SQLite is: the server stops a statement by killing the
 * process, because Node offers no other way to interrupt it, and none to end a thread that is inside of SQLite.
 */
function main(): void {
  const lines = new InputLines();
  let opened: OpenedFile | undefined;
  let isWatched = false;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    // The end of a statement crossed the answer to its last rows.
    if (line === goOn || line === stop) continue;
    // The other end is our own server.
    const request = JSON.parse(line) as ToProcess;
    try {
      if (request.type === 'open') opened = open(request, opened);
      else if (request.type === 'run') run(request, opened, lines);
      else opened = close(opened);
    } catch (error) {
      send(toFailed(error));
    }
    if (isWatched) continue;
    isWatched = true;
    watchServer();
  }
}

const cannotOpen = 14;

function open(request: OpenRequest, left: OpenedFile | undefined): OpenedFile {
  left?.db.close();
  try {
    return openOnce(request);
  } catch (error) {
    // The last other program may just have closed the file, and removed those beside it.
    if (!(error instanceof LeftWalError) && readCode(error) !== cannotOpen) throw error;
    return openOnce(request);
  }
}

function openOnce(request: OpenRequest): OpenedFile {
  const opened = openFile(request);
  try {
    // SQLite reads the file here for the first time.
    opened.db.exec('select count(*) from sqlite_schema');
    send({ type: 'done' });
    return opened;
  } catch (error) {
    opened.db.close();
    throw error;
  }
}

function run(request: RunRequest, opened: OpenedFile | undefined, lines: InputLines): void {
  if (opened === undefined) throw new Error('no file is open');
  const { db, isUnlocked } = opened;
  let sent = 0;
  const outlet = {
    send,
    sendRows(rows: Extract<FromProcess, { type: 'rows' }>['rows']) {
      send({ type: 'rows', rows });
      sent += 1;
      // One batch is under way while the next one is read.
      return sent === 1 || lines.next() === goOn;
    },
  };
  db.setAuthorizer?.(request.isFree ? null : authorizeRead);
  try {
    const done = runStatement(db, isUnlocked ? withJournalMode(request) : request, outlet);
    opened.verify();
    send(done);
  } finally {
    db.setAuthorizer?.(null);
  }
}

/** A file that is read without locks looks as if it had another mode. */
function withJournalMode(request: RunRequest): RunRequest {
  const isAsked = /^\s*pragma\s+(?:main\s*\.\s*)?journal_mode[\s;]*$/i.test(request.sql);
  return isAsked ? { ...request, sql: "select 'wal' as journal_mode" } : request;
}

function close(opened: OpenedFile | undefined): undefined {
  opened?.db.close();
  send({ type: 'done' });
}

function toFailed(error: unknown): FailedMessage {
  const message = error instanceof Error ? error.message : String(error);
  const [isChanged, isLeft] = [error instanceof ChangedFileError, error instanceof LeftWalError];
  return { type: 'failed', message, code: readCode(error), isChanged, isLeft, isLink: error instanceof LinkError };
}

function readCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined;
}

/** The columns of a result, which are sent with what follows: each write wakes the server up. */
let held = '';

function send(message: FromProcess): void {
  const text = `${held}${JSON.stringify(message)}\n`;
  held = message.type === 'columns' ? text : '';
  if (held !== '') return;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

/** Lines of standard input, one at a time. Blocks until there is one. */
class InputLines {
  readonly #chunk = Buffer.alloc(64 * 1024);
  readonly #lines: string[] = [];
  readonly #reader = new LineReader({ bytes: Number.POSITIVE_INFINITY }, (event) => {
    if (event.kind === 'line') this.#lines.push(event.text);
  });

  /** Undefined when the server is gone. */
  next(): string | undefined {
    while (this.#lines.length === 0) {
      const size = readSync(0, this.#chunk);
      if (size === 0) return undefined;
      // The reader keeps what is not a whole line yet.
      this.#reader.push(Buffer.from(this.#chunk.subarray(0, size)));
    }
    return this.#lines.shift();
  }
}

/** Ends the process when the server was killed: a statement inside of SQLite would not notice. */
function watchServer(): void {
  const code = `const server = process.ppid;
setInterval(() => process.ppid === server || process.kill(process.pid, 'SIGKILL'), 1000);`;
  const limits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
  new Worker(code, { eval: true, env: {}, execArgv: [], resourceLimits: limits, stdout: true, stderr: true }).unref();
}

main();
// The watching thread would go on for a moment.
process.exit();
