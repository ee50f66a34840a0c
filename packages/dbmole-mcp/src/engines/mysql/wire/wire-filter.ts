import type { RowReader } from '../values/row-reader.ts';

const headSize = 4;
/** A packet of this length is continued by the next one. */
const fullPacket = 0xffffff;
/** The largest packet for the driver, which needs far less. */
const maxPacketBytes = 256 * 1024;
const maxErrorBytes = 16 * 1024;
/** The most that the driver keeps of one answer: far more than the columns of the widest table take. */
const maxAnswer = 64 * 1024 * 1024;
const maxResults = 100_000;

const queryCommand = 0x03;
const resetCommand = 0x1f;

const okMark = 0x00;
const fileMark = 0xfb;
const endMark = 0xfe;
const errorMark = 0xff;
/** A row may begin like the end of the rows, but is longer. */
const maxEndBytes = 8;

const moreResults = 0x0008;
const inTransaction = 0x0001;

/** Where in the answer to a query we are; `other` is anything else, which goes to the driver as it is. */
type Place = 'other' | 'header' | 'fields' | 'fieldsEnd' | 'rows';

/** The server's status after the answer to a query. */
export interface QueryStatus {
  warnings: number;
  inTransaction: boolean;
}

interface Answer extends QueryStatus {
  nextReader(): RowReader;
}

/** Statements that we have sent past the driver, and have not been answered yet. */
interface Own {
  left: number;
  error: Error | undefined;
  done(error: Error | undefined): void;
}

/**
 * Filters between the socket and the driver. The driver gets the packets that begin and end a result, with sequence numbers as if
 * nothing had been between them; the rows go to our reader, byte by byte as they arrive. So neither a huge cell nor a huge
 * message is ever put together in memory, and values are exactly the bytes that the server sent.
 */
export class WireFilter {
  readonly #toDriver: (packet: Buffer) => void;
  readonly #head = Buffer.alloc(headSize);
  #headSize = 0;
  /** The bytes of the current packet that are still to come, and whether another packet continues it. */
  #left = 0;
  #full = false;
  /** The state of a whole that may consist of several packets: what becomes of it, its number and how many they are. */
  #fate: 'new' | 'driver' | 'row' = 'new';
  #sequence = 0;
  #packets = 0;
  #parts: Buffer[] = [];
  #partsSize = 0;
  #place: Place = 'other';
  #fieldsLeft = 0;
  /** The state of the answer that is being read: its results, and the bytes that the driver was given. */
  #results = 0;
  #answerSize = 0;
  /** How many packets of this answer the driver does not see. */
  #swallowed = 0;
  #answer: Answer | undefined;
  /** The queries after the one whose answer is being read. */
  readonly #expected: Answer[] = [];
  #reader: RowReader | undefined;
  #own: Own | undefined;

  constructor(toDriver: (packet: Buffer) => void) {
    this.#toDriver = toDriver;
  }

  /**
   * The next answer that is not expected yet is that of a query. The reader is asked for when the fields are known, once for each set
   * of rows.
   */
  expectQuery(nextReader: () => RowReader): QueryStatus {
    const answer: Answer = { nextReader, warnings: 0, inTransaction: false };
    this.#expected.push(answer);
    if (this.#place === 'other') this.#expectNext();
    return answer;
  }

  #expectNext(): void {
    this.#answer = this.#expected.shift();
    if (this.#answer === undefined) return;
    this.#place = 'header';
    this.#results = 0;
    this.#answerSize = 0;
  }

  /**
   * The next answers are to as many statements without rows, which the driver does not know of. The first error counts, and nothing
   * after it is read.
   */
  expectOwn(count: number, done: Own['done']): void {
    if (this.#own !== undefined) throw new Error('the statements before have not been answered yet');
    this.#own = { left: count, error: undefined, done };
  }

  get awaitsOwn(): boolean {
    return this.#own !== undefined;
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
    else this.#keep(chunk.subarray(at, end), { isLast: end - at === this.#left && !this.#full });
    this.#left -= end - at;
    if (this.#left === 0 && !this.#full) this.#end();
    return end;
  }

  #isRow(first: number): boolean {
    if (this.#place !== 'rows' || first === errorMark) return false;
    return first !== endMark || this.#left > maxEndBytes;
  }

  #keep(bytes: Buffer, { isLast }: { isLast: boolean }): void {
    const first = (this.#parts[0] ?? bytes)[0];
    const room = (first === errorMark ? maxErrorBytes : maxPacketBytes) - this.#partsSize;
    if (first !== errorMark && bytes.length > room) throw new Error('the server sent a packet that is far too long');
    if (room <= 0) return;
    const part = bytes.length > room ? bytes.subarray(0, room) : bytes;
    // The chunk is not ours to keep. The last part is handed over before the chunk is gone.
    const kept = isLast ? part : Buffer.from(part);
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
    // The filter comes before the driver, who may begin the next command at once.
    const place = this.#place;
    this.#place = this.#follow(place, packet.subarray(headSize));
    this.#answerSize += packet.length;
    if (this.#place !== 'other' && this.#answerSize > maxAnswer) throw new Error('the answer of the server is far too large');
    if (this.#place === 'other') {
      this.#swallowed = 0;
      this.#expectNext();
    }
    this.#toDriver(packet);
    // The driver comes first here: it tells us the fields when it sees the last one.
    if (place === 'fieldsEnd') this.#reader = this.#answer?.nextReader();
  }

  #answerOwn(own: Own, packet: Buffer): void {
    if (packet[0] !== okMark)
      own.error ??= new Error(packet[0] === errorMark ? packet.toString('utf8', 3) : 'the server answered with rows');
    own.left -= 1;
    if (own.left > 0) return;
    this.#own = undefined;
    this.#swallowed = 0;
    own.done(own.error);
    if (own.error !== undefined) throw own.error;
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
    if (first === okMark) {
      const at = skipNumber(packet, skipNumber(packet, 1));
      return this.#ended(packet.readUInt16LE(at), packet.readUInt16LE(at + 2));
    }
    this.#fieldsLeft = first === 0xfc ? packet.readUInt16LE(1) : (first ?? 0);
    return 'fields';
  }

  #ended(status: number, warnings: number): Place {
    if (this.#answer !== undefined) Object.assign(this.#answer, { warnings, inTransaction: (status & inTransaction) !== 0 });
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

/** Takes back the state of the session and keeps the connection. */
export function encodeReset(): Buffer {
  return encodeCommand(resetCommand, '');
}

export function encodeQuery(sql: string): Buffer {
  return encodeCommand(queryCommand, sql);
}

/** A packet: three bytes of length, its number, the command and its text. */
function encodeCommand(command: number, text: string): Buffer {
  const packet = Buffer.alloc(headSize + 1 + Buffer.byteLength(text));
  packet.writeUIntLE(packet.length - headSize, 0, 3);
  packet[headSize] = command;
  packet.write(text, headSize + 1);
  return packet;
}
