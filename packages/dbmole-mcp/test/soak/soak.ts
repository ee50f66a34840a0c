import { performance } from 'node:perf_hooks';
import { runDirect } from '../direct.ts';
import { createSeededRandom } from '../guard/seeded-random.ts';
import { createDisturbances, type Disturbances } from './disturbances.ts';
import { makeCall, type Outcome } from './soak-calls.ts';
import { openSoakSite, type SoakSite, soakUser } from './soak-site.ts';
import { openState, type SoakState } from './soak-state.ts';

interface SoakOptions {
  calls: number;
  seed: number;
  /** How often an engine or the bastion goes away and comes back. */
  disturbances: number;
  /** No more calls begin when it is aborted; what was found until then is the result. */
  signal?: AbortSignal;
  report?(line: string): void;
}

interface SoakResult {
  made: number;
  outcomes: Record<Outcome, number>;
  disturbed: readonly string[];
  before: SoakState;
  after: SoakState;
  /** Descriptions of what went wrong. */
  problems: readonly string[];
}

/** Calls that are under way at the same time. */
const workers = 16;
const maxProblems = 20;
/** The share of calls that give memory, caches and pools the size that such work needs. */
const warmShare = 0.1;

/**
 * Calls of every kind over eight connections, some given up, while engines and the bastion come and go: every answer must be the
 * right one, and what the server holds at the end must be what it held when it was warm.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const site = await openSoakSite();
  try {
    return await new Soak(site, options).run();
  } finally {
    await site.stop();
  }
}

class Soak {
  readonly #site: SoakSite;
  readonly #options: SoakOptions;
  readonly #disturbances: Disturbances;
  readonly #outcomes: Record<Outcome, number> = { right: 0, disturbed: 0, cancelled: 0 };
  readonly #problems: string[] = [];
  #made = 0;

  constructor(site: SoakSite, options: SoakOptions) {
    this.#site = site;
    this.#options = options;
    this.#disturbances = createDisturbances(site);
  }

  async run(): Promise<SoakResult> {
    const { calls, disturbances, report } = this.#options;
    const warm = Math.ceil(calls * warmShare);
    await this.#makeCalls(warm);
    const before = await this.#settle();
    report?.(`warm after ${warm} calls: ${JSON.stringify(before)}`);
    for (let round = 1; round <= disturbances && !this.#isOver; round += 1) {
      const until = warm + Math.floor(((calls - warm) * round) / disturbances);
      await Promise.all([this.#makeCalls(until), this.#disturbances.next()]);
      report?.(`${this.#made} calls, ${this.#disturbances.done.at(-1)}: ${JSON.stringify(await openState(this.#site))}`);
    }
    await this.#makeCalls(calls);
    const after = await this.#settle();
    return {
      made: this.#made,
      outcomes: this.#outcomes,
      disturbed: this.#disturbances.done,
      before,
      after,
      problems: [...this.#problems, ...(await this.#lostAnswers())],
    };
  }

  get #isOver(): boolean {
    return this.#options.signal?.aborted === true || this.#problems.length >= maxProblems;
  }

  async #makeCalls(until: number): Promise<void> {
    await Promise.all(Array.from({ length: workers }, () => this.#work(until)));
  }

  async #work(until: number): Promise<void> {
    while (this.#made < until && !this.#isOver) {
      this.#made += 1;
      await this.#make(this.#made);
    }
  }

  async #make(number: number): Promise<void> {
    const { server, connections } = this.#site;
    const random = createSeededRandom(this.#options.seed + number);
    const connection = connections[random.below(connections.length)];
    if (connection === undefined) throw new Error('there are no connections');
    const began = performance.now();
    const wasDisturbed = () => this.#disturbances.hit(connection, began);
    try {
      this.#outcomes[await makeCall({ server, connection, number, random, wasDisturbed })] += 1;
    } catch (error) {
      this.#problems.push(error instanceof Error ? error.message : String(error));
    }
  }

  /** A burst opens as many sessions as there may be, and then nothing is under way. */
  async #settle(): Promise<SoakState> {
    const { server, connections } = this.#site;
    const burst = connections.flatMap(({ name, type }) => {
      const sql =
        type === 'postgres'
          ? 'select pg_sleep(0.5)'
          : 'select count(*) from information_schema.collations a, information_schema.collations b';
      return Array.from({ length: 4 }, () => server.callTool('query', { connection: name, sql }));
    });
    await Promise.all(burst);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return await openState(this.#site);
  }

  /** Nothing may be left running of what was given up. */
  async #lostAnswers(): Promise<string[]> {
    const found: string[] = [];
    for (const engine of this.#site.engines) {
      const sql =
        engine.scheme === 'postgres'
          ? `select query from pg_stat_activity where usename = '${soakUser}' and state <> 'idle'`
          : `select info from information_schema.processlist where user = '${soakUser}' and info is not null`;
      for (const [text] of await runDirect(engine, [sql])) found.push(`${engine.id} still runs ${String(text)}`);
    }
    return found;
  }
}
