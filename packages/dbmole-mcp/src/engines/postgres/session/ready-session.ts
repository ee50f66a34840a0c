import { command, prepare, runPrepared, sync, unprepare } from '../wire/messages.ts';
import { type CallSettings, formatPrelude, formatReadyLook, formatSession } from './prelude.ts';
import type { Look } from './premise-watch.ts';

/** What a call needs of the session before its own statement. */
interface Needs {
  timeoutMs: number;
  look: Look | undefined;
}

/** The level is named because the default may be serializable, and a serializable read can make the COMMIT of another session fail. */
export const beginRead = command('begin isolation level repeatable read read only');
const clean = [command('rollback'), sync, command('discard all'), sync];
/** In one go, as nothing is between us and the server that could send them to different ones. */
export const cleanAtOnce = Buffer.concat([command('rollback'), command('discard all')]);
const lookName = 'dbmole_look';
/** Before a caller's statement, which must not see the prepared check. */
export const hideLook = unprepare(lookName);
const beginReady = Buffer.concat([beginRead, runPrepared(lookName), hideLook]);
/** With less, the cleaning itself, or the beginning of a call that has more time, could run into it. */
const minIdleMs = 5_000;

/**
 * Most calls are alike, so the cleaning behind each of them leaves in the session what the next one will probably need: settings, and the
 * look at the premise parsed and planned. No call waits for it then, and it takes the server longer than a small read. When a call
 * needs something else, it brings that along.
 */
export class ReadySession {
  /** The server supports a setting that checks whether the client is still connected. */
  checksClient = false;
  /** There is no proxy before the server, so what is left in the session is there for the next call. */
  direct = false;
  /** What the last cleaning has left. */
  #there: Needs | undefined;
  /** What the cleaning that is sent next will leave. */
  #next: Needs | undefined;
  #cleaning: { key: string; bytes: Buffer } | undefined;
  #beginning: { key: string; bytes: Buffer } | undefined;

  /** The beginning of a read; the cleaning behind it will be made for another one like it. */
  begin(needs: Needs): Buffer {
    this.#next = this.direct && needs.timeoutMs >= minIdleMs ? needs : undefined;
    if (isReady(this.#there, needs)) return beginReady;
    const prepared = this.#there !== undefined;
    const key = `${prepared} ${needs.timeoutMs} ${needs.look?.sql}`;
    if (this.#beginning?.key !== key) {
      const prelude = formatPrelude({ ...needs, prepared, checksClient: this.checksClient });
      this.#beginning = { key, bytes: Buffer.concat([hideLook, beginRead, prelude]) };
    }
    return this.#beginning.bytes;
  }

  /** Those of a write, which brings all of them along: for its transaction, or for the session where it has none. */
  buildSettings({ timeoutMs }: { timeoutMs: number }, local: boolean): Buffer {
    return formatPrelude({ timeoutMs, checksClient: this.checksClient, local });
  }

  /** Every call ends in this, so that nothing of it is left for the next: settings, locks, prepared statements. Two rounds. */
  get cleanUp(): Buffer {
    const next = this.#next;
    const key = next === undefined ? '' : `${next.timeoutMs} ${next.look?.sql}`;
    if (this.#cleaning?.key !== key) this.#cleaning = { key, bytes: this.#formatCleanUp(next) };
    return this.#cleaning.bytes;
  }

  cleaned(): void {
    this.#there = this.#next;
  }

  /** What was left there was not found. */
  distrust(): void {
    this.direct = false;
    this.#there = undefined;
    // The cleaning that is under way leaves nothing that could be relied upon.
    this.#next = undefined;
  }

  #formatCleanUp(next: Needs | undefined): Buffer {
    if (next === undefined) return Buffer.concat(clean);
    const { timeoutMs, look } = next;
    const settings: CallSettings = { timeoutMs, checksClient: this.checksClient };
    const looks = isQuick(look) ? [prepare(lookName, formatReadyLook(look))] : [];
    return Buffer.concat([cleanAtOnce, ...looks, sync, formatSession(settings)]);
  }
}

function isReady(there: Needs | undefined, { timeoutMs, look }: Needs): boolean {
  return there?.timeoutMs === timeoutMs && isQuick(look) && there.look?.sql === look.sql;
}

/** The other one is different each time that it is worth its while. */
function isQuick(look: Look | undefined): look is Look {
  return look?.full === false;
}

/** Around the 40 ms for which kernels delay an acknowledgement. */
const [minMs, maxMs] = [30, 70];
/** A busy machine may take that long a few times. */
const maxLong = 5;

/** Notices that answers of cleanings are held back on their way, as by sshd, which sends one small packet at a time. */
export class CleaningDelays {
  /** How many in a row were long. */
  #long: number;

  constructor(isTunnel: boolean) {
    this.#long = isTunnel ? maxLong : 0;
  }

  get areLong(): boolean {
    return this.#long >= maxLong;
  }

  /** Once they are, there are none to note any more, but of reads that failed. */
  note(ms: number): void {
    if (!this.areLong) this.#long = ms < minMs || ms > maxMs ? 0 : this.#long + 1;
  }
}
