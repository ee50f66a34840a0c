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
