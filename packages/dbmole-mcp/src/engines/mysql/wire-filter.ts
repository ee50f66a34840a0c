import type { RowReader } from './row-reader.ts';

const headSize = 4;
/** A packet of this length is continued by the next one. */
const fullPacket = 0xffffff;
/** Far more than the packets need that the driver is to see. */
const longestPacket = 256 * 1024;
const longestError = 16 * 1024;
/** What the driver keeps of one answer: far more than the columns of the widest table, and than a procedure has queries. */
const maxAnswer = 64 * 1024 * 1024;
const maxResults = 100_000;

const okMark = 0x00;
const fileMark = 0xfb;
const endMark = 0xfe;
const errorMark = 0xff;
/** A row may begin like the end of the rows, but is longer then. */
const longestEnd = 8;

const moreResults = 0x0008;
const inTransaction = 0x0001;

/** Where in the answer to a query we are; `other` is anything else, which goes to the driver as it is. */
type Place = 'other' | 'header' | 'fields' | 'fieldsEnd' | 'rows';

/** Statements that we have sent past the driver, and have not been answered yet. */
interface Own {
  left: number;
  error: Error | undefined;
  done(error: Error | undefined): void;
}

/**
 * Stands between the socket and the driver. The driver gets the packets that begin and end a result, with sequence numbers as if
 * nothing had been between them; the rows go to a reader of ours, byte by byte as they arrive. So neither a huge cell nor a huge
 * message is ever put together in memory, and values are exactly the bytes that the server sent.
 */
export class WireFilter {
  readonly #toDriver: (packet: Buffer) => void;
  readonly #head = Buffer.alloc(headSize);
  #headSize = 0;
  /** Bytes of the current packet still to come, and whether another one continues it. */
  #left = 0;
  #full = false;
  /** Of a whole that may consist of several packets: what becomes of it, its number and how many they are. */
  #fate: 'new' | 'driver' | 'row' = 'new';
  #sequence = 0;
  #packets = 0;
  #parts: Buffer[] = [];
  #partsSize = 0;
  #place: Place = 'other';
  #fieldsLeft = 0;
  /** Of the answer that is being read: its results, and the bytes that the driver was given. */
  #results = 0;
  #answerSize = 0;
  /** How many packets of this answer the driver does not see. */
  #swallowed = 0;
  #nextReader: (() => RowReader) | undefined;
  #reader: RowReader | undefined;
  #status = 0;
  #warnings = 0;
  #own: Own | undefined;

  constructor(toDriver: (packet: Buffer) => void) {
    this.#toDriver = toDriver;
  }

  /** The next answer is that of a query. The reader is asked for when the fields are known, once for each set of rows. */
  expectQuery(nextReader: () => RowReader): void {
    this.#place = 'header';
    this.#results = 0;
    this.#answerSize = 0;
    this.#nextReader = nextReader;
  }

  /** The next answers are to as many statements without rows, which the driver does not know of. The first error counts. */
  expectOwn(count: number, done: Own['done']): void {
    this.#own = { left: count, error: undefined, done };
  }

  /** As the end of the last answer said it. */
  get inTransaction(): boolean {
    return (this.#status & inTransaction) !== 0;
  }

  get warnings(): number {
    return this.#warnings;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#left > 0 ? this.#payload(chunk, at) : this.#header(chunk, at);
  }

  #header(chunk: Buffer, at: number): number {
    const taken = Math.min(headSize - this.#headSize, chunk.length - at);
    for (let index = 0; index < taken; index += 1) this.#head[this.#headSize + index] = chunk[at + index] ?? 0;
    this.#headSize += taken;
    if (this.#headSize < headSize) return at + taken;
    this.#headSize = 0;
    this.#left = this.#head.readUIntLE(0, 3);
    this.#full = this.#left === fullPacket;
    if (this.#packets === 0) this.#sequence = this.#head[3] ?? 0;
    this.#packets += 1;
    if (this.#left === 0) this.#end();
    return at + taken;
  }

  #payload(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    if (this.#fate === 'new') this.#fate = this.#isRow(chunk[at] ?? 0) ? 'row' : 'driver';
    if (this.#fate === 'row') this.#reader?.feed(chunk, at, end);
    else this.#keep(chunk.subarray(at, end));
    this.#left -= end - at;
    if (this.#left === 0 && !this.#full) this.#end();
    return end;
  }

  #isRow(first: number): boolean {
    if (this.#place !== 'rows' || first === errorMark) return false;
    return first !== endMark || this.#left > longestEnd;
  }

  #keep(bytes: Buffer): void {
    const first = (this.#parts[0] ?? bytes)[0];
    const room = (first === errorMark ? longestError : longestPacket) - this.#partsSize;
    if (first !== errorMark && bytes.length > room) throw new Error('the server sent a packet that is far too long');
    if (room <= 0) return;
    // A copy: the chunk is not ours to keep.
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#parts.push(kept);
    this.#partsSize += kept.length;
  }

  #end(): void {
    const sequence = this.#sequence - this.#swallowed;
    const isRow = this.#fate === 'row';
    this.#swallowed += isRow ? this.#packets : this.#packets - 1;
    this.#packets = 0;
    this.#fate = 'new';
    if (isRow) this.#reader?.end();
    else this.#handOver(sequence);
  }

  #handOver(sequence: number): void {
    const packet = Buffer.allocUnsafe(headSize + this.#partsSize);
    packet.writeUIntLE(this.#partsSize, 0, 3);
    packet[3] = sequence & 0xff;
    let at = headSize;
    for (const part of this.#parts) at += part.copy(packet, at);
    this.#parts = [];
    this.#partsSize = 0;
    if (this.#own !== undefined) {
      this.#answerOwn(this.#own, packet.subarray(headSize));
      return;
    }
    // Before the driver, who may begin the next command at once.
    const place = this.#place;
    this.#place = this.#follow(place, packet.subarray(headSize));
    this.#answerSize += packet.length;
    if (this.#place !== 'other' && this.#answerSize > maxAnswer) throw new Error('the server sent far too much about one answer');
    if (this.#place === 'other') this.#swallowed = 0;
    this.#toDriver(packet);
    // After it: it tells us the fields when it sees the last one.
    if (place === 'fieldsEnd') this.#reader = this.#nextReader?.();
  }

  #answerOwn(own: Own, packet: Buffer): void {
    if (packet[0] === okMark) this.#endWithOk(packet);
    else own.error ??= new Error(packet[0] === errorMark ? packet.toString('utf8', 3) : 'the server answered with rows');
    own.left -= 1;
    if (own.left > 0) return;
    this.#own = undefined;
    this.#swallowed = 0;
    own.done(own.error);
  }

  /** The place after this packet. */
  #follow(place: Place, packet: Buffer): Place {
    const first = packet[0];
    if (place === 'other' || first === errorMark) return 'other';
    if (place === 'fieldsEnd') return 'rows';
    if (place === 'fields') {
      this.#fieldsLeft -= 1;
      return this.#fieldsLeft > 0 ? 'fields' : 'fieldsEnd';
    }
    if (place === 'rows') return this.#ended(packet.readUInt16LE(3), packet.readUInt16LE(1));
    // A server that asks for a file gets none from the driver, and then says that it is done.
    if (first === fileMark) return 'header';
    if (first === okMark) return this.#endWithOk(packet);
    this.#fieldsLeft = first === 0xfc ? packet.readUInt16LE(1) : (first ?? 0);
    return 'fields';
  }

  #endWithOk(packet: Buffer): Place {
    const at = skipNumber(packet, skipNumber(packet, 1));
    return this.#ended(packet.readUInt16LE(at), packet.readUInt16LE(at + 2));
  }

  #ended(status: number, warnings: number): Place {
    this.#status = status;
    this.#warnings = warnings;
    this.#reader = undefined;
    this.#results += 1;
    if (this.#results > maxResults) throw new Error('the server sent too many results');
    return (status & moreResults) === 0 ? 'other' : 'header';
  }
}

function skipNumber(packet: Buffer, at: number): number {
  const first = packet[at] ?? 0;
  if (first === 0xfc) return at + 3;
  if (first === 0xfd) return at + 4;
  return first === 0xfe ? at + 9 : at + 1;
}
