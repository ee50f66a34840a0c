import type { Log } from '../../log.ts';
import type { SignalSettings } from './telemetry-settings.ts';

/** `retry`: the collector may take it later. */
type Outcome = 'sent' | 'retry' | 'refused';

const later: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Posts to one endpoint of a collector. Its failures are logged once, until it works again. */
export class Collector {
  readonly #settings: SignalSettings;
  readonly #log: Log;
  #isDown = false;

  constructor(settings: SignalSettings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /** Never rejects. */
  async post(body: object, signal?: AbortSignal): Promise<Outcome> {
    const { url, headers, timeoutMs } = this.#settings;
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.any(limits),
      });
      // A connection is kept only once its answer is read.
      await response.arrayBuffer();
      if (!response.ok) this.#complain(`HTTP ${response.status}`);
      else this.#recover();
      return response.ok ? 'sent' : later.has(response.status) ? 'retry' : 'refused';
    } catch (error) {
      this.#complain(describe(error));
      return 'retry';
    }
  }

  #complain(error: string): void {
    if (this.#isDown) return;
    this.#isDown = true;
    this.#log('warn', 'telemetry cannot be sent; calls are not affected', { to: showPlace(this.#settings.url), error });
  }

  #recover(): void {
    if (this.#isDown) this.#log('info', 'telemetry is sent again', { to: showPlace(this.#settings.url) });
    this.#isDown = false;
  }
}

/** The cause of a failed fetch says more than the failure. */
function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message || cause.name;
}

/** A query may have a key in it. */
function showPlace(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : 'an invalid URL';
}
