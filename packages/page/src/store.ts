import { ApiError, leave, signIn } from './api.ts';
import { readEvents } from './events.ts';
import type { ServerInfo } from './panel.ts';
import { panels } from './panels.ts';

export interface PageState {
  /** `out`: this browser is not signed in. */
  connection: 'connecting' | 'open' | 'lost' | 'out';
  /** Undefined until the first connection. */
  server: ServerInfo | undefined;
  /** Why the link was not accepted; empty if it was, or there was none. */
  problem: string;
  /** The server was started again while the page was open. */
  isRestarted: boolean;
  /** What each panel made of its events, by its id. */
  parts: Readonly<Record<string, unknown>>;
}

const retryMs = 1_000;

/** The state of the page, which follows the server for as long as the page is open. */
export class PageStore {
  #state: PageState = { connection: 'connecting', server: undefined, problem: '', isRestarted: false, parts: {} };
  readonly #listeners = new Set<() => void>();

  get state(): PageState {
    return this.#state;
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Signs in with the code of the link, if there is one, and follows the server until it says that this browser may not. */
  async follow(code: string | undefined): Promise<void> {
    if (code !== undefined) await this.#signIn(code);
    const never = new AbortController();
    for (;;) {
      const error = await readEvents(({ name, data }) => this.#take(name, data), never.signal).catch((reason: unknown) => reason);
      if (error instanceof ApiError && error.status === 401) return void this.#set({ connection: 'out' });
      this.#set({ connection: 'lost' });
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  dismissRestart(): void {
    this.#set({ isRestarted: false });
  }

  async leave(): Promise<void> {
    await leave();
    this.#set({ connection: 'out', parts: {} });
  }

  async #signIn(code: string): Promise<void> {
    try {
      await signIn(code);
    } catch (error) {
      // The browser may be signed in already.
      this.#set({ problem: error instanceof Error ? error.message : String(error) });
    }
  }

  #take(name: string, data: object): void {
    if (name === 'hello') this.#greet(data as ServerInfo);
    const panel = panels.find(({ id }) => id === name);
    if (panel?.reduce === undefined) return;
    this.#set({ parts: { ...this.#state.parts, [name]: panel.reduce(this.#state.parts[name], data) } });
  }

  #greet(server: ServerInfo): void {
    const before = this.#state.server?.run;
    const isRestarted = before !== undefined && before !== server.run;
    this.#set({ connection: 'open', server, problem: '', isRestarted: isRestarted || this.#state.isRestarted });
  }

  #set(change: Partial<PageState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
