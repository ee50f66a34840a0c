/** Collects the `data` of server-sent events. Text may be pushed in any pieces. */
export class EventStream {
  readonly #onData: (data: string) => void;
  #rest = '';
  #data: string[] = [];

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  #take(line: string): void {
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '' || this.#data.length === 0) return;
    const data = this.#data.join('\n');
    this.#data = [];
    this.#onData(data);
  }
}
