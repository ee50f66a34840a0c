import { toFailure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import type { RecordedCall, RecordedStatement, RecordSink } from '../recorded-call.ts';
import { AuditFile, type AuditFileOptions } from './audit-file.ts';
import { type AuditLine, describeBeginning, describeCall } from './audit-line.ts';

/** The log of every call. While it cannot be written nothing may change, and readers hear of it once. */
export class AuditLog implements RecordSink {
  readonly #file: AuditFile;
  readonly #log: Log;
  /** Why it cannot be written, until that is over. */
  #trouble: string | undefined;
  #isTold = false;
  /** Lines that could not be written since then. */
  #lost = 0;

  constructor(path: string, log: Log, options?: AuditFileOptions) {
    this.#file = new AuditFile(path, options);
    this.#log = log;
  }

  announce(call: RecordedCall, statement?: RecordedStatement): void {
    this.#write(describeBeginning(call, statement));
  }

  take(call: RecordedCall): void {
    for (const line of describeCall(call)) this.#tryWrite(line);
  }

  notice(): string | undefined {
    if (this.#trouble === undefined) this.#check();
    if (this.#trouble === undefined || this.#isTold) return undefined;
    this.#isTold = true;
    return `${this.#trouble}; reads go on, and what changes something is refused`;
  }

  async close(): Promise<void> {
    await this.#file.settle();
  }

  /** A path that cannot be written is found at the first call, and not after it. */
  #check(): void {
    try {
      this.#file.check();
    } catch (error) {
      this.#complain(error);
    }
  }

  #tryWrite(line: AuditLine): void {
    try {
      this.#write(line);
    } catch {
      this.#lost += 1;
    }
  }

  #write(line: AuditLine): void {
    try {
      if (this.#lost > 0) this.#append({ ...lostLine(line), more: this.#lost });
      this.#lost = 0;
      this.#append(line);
      this.#trouble = undefined;
      this.#isTold = false;
    } catch (error) {
      this.#complain(error);
      throw error;
    }
  }

  #complain(error: unknown): void {
    const message = toFailure(error).message.replace('; nothing was run', '');
    if (this.#trouble === undefined) this.#log('error', message);
    this.#trouble = message;
  }

  #append(line: AuditLine): void {
    this.#file.append(JSON.stringify(line));
  }
}

/** Says in the log that lines are missing. */
function lostLine({ time, call, trace, door, principal }: AuditLine) {
  return { time, call, trace, door, principal, tool: 'audit', verdict: 'lost' } satisfies AuditLine;
}
