import { Failure, untilAborted } from '@dbmole/core';
import type { ReadEnd, ReadRequest, RowSink, Session, SessionTarget, WriteEnd, WriteRequest } from '../../engine.ts';
import { staleFailure } from '../../failure.ts';
import { premiseCode } from '../../guard/read-statement.ts';
import { collectRows } from './collect-rows.ts';
import { type Control, controlOf } from './control.ts';
import { toMysqlFailure } from './failure.ts';
import { type Flavour, flavourOf, formatReadSettings, type ReadLimits } from './flavour.ts';
import type { Link } from './link.ts';
import { openLink } from './open-link.ts';
import { RecentTexts } from './recent-texts.ts';
import { ResultRows } from './result-rows.ts';
import { runStatement } from './run-statement.ts';
import { runWrite } from './run-write.ts';
import { isQuery, refuseUnlessRollable, showsPlan } from './statement-kind.ts';
import { withGrace } from './with-grace.ts';

const startReading = 'START TRANSACTION READ ONLY';
/** For putting the session in order after a call. */
const tidyMs = 5_000;

export async function openSession(target: SessionTarget, signal: AbortSignal): Promise<Session> {
  const link = await openLink(target, signal);
  const where = { host: target.connectHost, port: target.connectPort };
  try {
    const [row] = await untilAborted(collectRows(link, 'SELECT version()'), signal);
    const control = controlOf(target);
    control.acquire(target);
    const flavour = flavourOf(row?.[0] ?? '');
    const { product } = flavour;
    return new MysqlSession({ link, control, where: { ...where, product }, flavour, database: target.database });
  } catch (error) {
    link.destroy();
    throw signal.aborted ? signal.reason : toMysqlFailure(error, where);
  }
}

interface Parts {
  link: Link;
  control: Control;
  flavour: Flavour;
  where: { host: string; port: number; product: Flavour['product'] };
  database: string | undefined;
}

class MysqlSession implements Session {
  readonly #parts: Parts;
  readonly #link: Link;
  readonly #released: Promise<void>;
  readonly #closing = new AbortController();
  /** Settles when the last call has left nothing behind and the next read is prepared. Never rejects. */
  #ready: Promise<void> = Promise.resolve();
  readonly #giving = new RecentTexts();
  /** What the session was last told for a read, and whether its read-only transaction is open. */
  #settings: string | undefined;
  #armed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#link = parts.link;
    this.#released = parts.link.closed.then(() => parts.control.release());
  }

  get alive(): boolean {
    return !this.#closing.signal.aborted && this.#link.lost === undefined && !this.#link.leaving;
  }

  get pendingEnd(): Promise<void> | undefined {
    return this.#link.pendingEnd;
  }

  read(request: ReadRequest, sink: RowSink, signal: AbortSignal): Promise<ReadEnd> {
    const { sql, premise } = request.statement;
    return this.#call(signal, sql, async (left) => {
      // A limit of ours would become a part of the plan that is shown.
      const { timeoutMs } = request;
      await this.#arm({ sqlMode: premise, timeoutMs, maxRows: showsPlan(sql) ? undefined : request.maxRows });
      const rows = new ResultRows(sink, request);
      const mustGiveRows = premise !== undefined && isQuery(sql) && !this.#giving.has(sql, premise);
      const end = await runStatement({ sql, rows, stopOnEnough: true, mustGiveRows, ...this.#watched(signal), ...request });
      if (mustGiveRows) this.#giving.add(sql, premise);
      left.database = end.database;
      return { timeZone: rows.dependsOnTimeZone ? await this.#timeZone() : undefined };
    });
  }

  async write(request: WriteRequest, sink: RowSink, signal: AbortSignal): Promise<WriteEnd> {
    if (request.dryRun) refuseUnlessRollable(request.sql);
    return this.#call(signal, request.sql, async (left) => {
      left.written = true;
      this.#armed = false;
      const { flavour } = this.#parts;
      const { database, ...end } = await runWrite({ ...this.#watched(signal), request, sink, flavour });
      left.database = database;
      return end;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ready;
    await this.#link.end();
    await this.#released;
  }

  /** One call: nothing of the one before is left, and nothing of it stays. */
  async #call<T>(signal: AbortSignal, sql: string, work: (left: Left) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    // Only the signal makes it fail; whoever aborts gets their own reason back.
    await untilAborted(this.#ready, signal).catch(() => signal.throwIfAborted());
    if (!this.alive) throw staleFailure();
    const left: Left = { database: undefined, written: false };
    const done = withGrace({ link: this.#link, signals: [signal, this.#closing.signal] }, () => work(left));
    // Whoever waits for it gets the answer first.
    this.#ready = done.then(
      () => this.#tidy(left),
      () => this.#tidy(left),
    );
    try {
      return await done;
    } catch (error) {
      throw signal.aborted && error === signal.reason ? error : toMysqlFailure(error, this.#parts.where, sql);
    }
  }

  #watched(signal: AbortSignal) {
    const { link, control } = this.#parts;
    return { link, control, signal, closing: this.#closing.signal };
  }

  /**
   * Both halves are needed: the session's flag stops what would commit the transaction first, such as DDL, and the transaction
   * stops a function that turns the flag off. They are given anew for each read, mostly ahead of it. So is the `sql_mode`, which a
   * function may have changed as well: the guard and the engine must read the statement alike.
   */
  async #arm(limits: ReadLimits): Promise<void> {
    const settings = formatReadSettings(this.#parts.flavour, limits);
    if (this.#armed && settings === this.#settings) return;
    this.#settings = settings;
    try {
      await this.#armWith(settings);
    } catch (error) {
      // Nothing of the caller's was sent.
      if (this.#link.lost !== undefined) throw staleFailure();
      throw limits.sqlMode !== undefined && isWrongValue(error) ? premiseFailure(error) : error;
    }
  }

  async #armWith(settings: string): Promise<void> {
    await this.#link.query(settings);
    if (!this.#armed) await this.#link.query(startReading);
    this.#armed = true;
  }

  /** The reset rolls back first, so that no lock outlives the call. A read is prepared as the last one was: most are alike. */
  async #tidy(left: Left): Promise<void> {
    if (!this.alive) return;
    const timer = setTimeout(() => this.#link.destroy(), tidyMs);
    try {
      this.#armed = false;
      await this.#renew(left);
    } catch {
      this.#link.destroy();
    } finally {
      clearTimeout(timer);
    }
  }

  /** After a read in one round trip. What a write may have told the driver has to be taken back in front of its eyes. */
  async #renew({ database, written }: Left): Promise<void> {
    const settings = this.#settings;
    if (!written && database === undefined && settings !== undefined && !stepwise.has(this.#parts.control)) {
      return await this.#renewAtOnce(settings);
    }
    await this.#link.reset();
    if (database !== undefined) await this.#returnTo(this.#parts.database);
    if (settings !== undefined) await this.#armWith(settings);
  }

  async #renewAtOnce(settings: string): Promise<void> {
    try {
      await this.#link.renew([settings, startReading]);
      this.#armed = true;
    } catch (error) {
      stepwise.add(this.#parts.control);
      throw error;
    }
  }

  /** A reset leaves the database that USE has chosen. Without one in the beginning there is no way back. */
  async #returnTo(database: string | undefined): Promise<void> {
    if (database === undefined) this.#link.destroy();
    else await this.#link.query(`USE \`${database.replaceAll('`', '``')}\``);
  }

  async #timeZone(): Promise<string | undefined> {
    const [row] = await collectRows(this.#link, 'SELECT @@session.time_zone, @@system_time_zone');
    const [session, system] = row ?? [];
    return (session === 'SYSTEM' ? system : session) ?? undefined;
  }
}

/** Connections where it failed once: some proxies take one command at a time. */
const stepwise = new WeakSet<Control>();

/** The engine's number for a variable that cannot have this value. */
const wrongValue = 1231;

function isWrongValue(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'errno') === wrongValue;
}

/** Another server than the guard asked, which does not know this mode. */
function premiseFailure(cause: unknown): Failure {
  return new Failure('engine', 'the server does not know the sql_mode that it had before', { code: premiseCode, cause });
}

/** What a call leaves behind that a reset does not take back. */
interface Left {
  database: string | undefined;
  /** It was no read. */
  written: boolean;
}
