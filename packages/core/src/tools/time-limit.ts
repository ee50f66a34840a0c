/** What a call's limit is made of, the strongest first. */
interface TimeLimitOptions {
  /** The caller asked for this and nothing else counts. */
  asked: number | undefined;
  /** The server's own. */
  usual: number;
  /** The tool is for long work: what the server and the connection say is raised to this. */
  atLeast: number;
  onExpire(milliseconds: number): void;
}

/**
 * How long one call may take, counted from its start. Which connection it is for is known only after it began, and that
 * connection may have a limit of its own.
 */
export class TimeLimit {
  readonly #options: TimeLimitOptions;
  readonly #started = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #milliseconds = 0;

  constructor(options: TimeLimitOptions) {
    this.#options = options;
    this.#set(options.asked ?? Math.max(options.usual, options.atLeast));
  }

  /** The limit of the whole call, not the remaining time. */
  get milliseconds(): number {
    return this.#milliseconds;
  }

  /** What the connection says, if anything. */
  ofConnection(milliseconds: number | undefined): void {
    const { asked, atLeast } = this.#options;
    if (asked === undefined && milliseconds !== undefined) this.#set(Math.max(milliseconds, atLeast));
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #set(milliseconds: number): void {
    if (milliseconds === this.#milliseconds) return;
    this.#milliseconds = milliseconds;
    clearTimeout(this.#timer);
    const left = Math.max(0, milliseconds - (performance.now() - this.#started));
    this.#timer = setTimeout(() => this.#options.onExpire(milliseconds), left);
  }
}
