/** Versions differ in these parts of a shard entry. */
interface Layout {
  /** The node and the search context may be missing, where the shard was. */
  readonly isOptional: boolean;
  readonly hasSearcher: boolean;
}

const layouts: readonly Layout[] = [
  // Elasticsearch 8.16 and later.
  { isOptional: true, hasSearcher: true },
  // Elasticsearch 7.12 to 8.15.
  { isOptional: false, hasSearcher: true },
  // Elasticsearch 7.10 and 7.11, OpenSearch.
  { isOptional: false, hasSearcher: false },
];

/**
 * Reads the indices in the id of a point in time, with their cluster where it is a remote one: `remote:logs`. Undefined means that
 * the id has no known layout. The version in the id does not choose the layout, because the caller may have chosen both:
 * the names are those of every layout that fits, and an id that a node wrote fits only with its own names.
 */
export function readPitNames(id: string): readonly string[] | undefined {
  if (!/^[\w-]+={0,2}$/.test(id)) return undefined;
  const bytes = Buffer.from(id, 'base64url');
  const found = layouts.map((layout) => readWith(layout, bytes)).filter((names) => names !== undefined);
  return found.length === 0 ? undefined : [...new Set(found.flat())];
}

function readWith(layout: Layout, bytes: Buffer): readonly string[] | undefined {
  try {
    return readShards(new StreamReader(bytes), layout);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** The version, and then each shard. The filters of aliases, which follow, name no index. */
function readShards(reader: StreamReader, layout: Layout): readonly string[] {
  reader.readNumber();
  const count = reader.readNumber();
  const names = new Set<string>();
  for (let at = 0; at < count; at++) names.add(readShard(reader, layout));
  return names.size === 0 ? reader.fail() : [...names];
}

const identifier = /^[\w-]+$/;
/** A random identifier, or the placeholder for an unknown one. */
const indexIdentifier = /^(?:[\w-]{22}|_na_)$/;
const printable = /^\P{Cc}+$/u;

function readShard(reader: StreamReader, { isOptional, hasSearcher }: Layout): string {
  const index = reader.readText(printable);
  reader.readText(indexIdentifier);
  reader.readNumber();
  if (!isOptional || reader.readFlag()) reader.readText(identifier);
  const cluster = reader.readFlag() ? reader.readText(printable) : undefined;
  if (!isOptional || reader.readFlag()) skipContext(reader, hasSearcher);
  return cluster === undefined ? index : `${cluster}:${index}`;
}

function skipContext(reader: StreamReader, hasSearcher: boolean): void {
  reader.skip(8);
  reader.readText(identifier);
  if (hasSearcher && reader.readFlag()) reader.readText();
}

class LayoutError extends Error {}

/** Reads values as the nodes' own serialization writes them. What nodes would not write fits no layout. */
class StreamReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  fail(): never {
    throw new LayoutError();
  }

  skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) this.fail();
  }

  readFlag(): boolean {
    const byte = this.#readByte();
    return byte > 1 ? this.fail() : byte === 1;
  }

  /** Seven bits in each byte, the lowest first. */
  readNumber(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#readByte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    const last = this.#readByte();
    return last > 7 ? this.fail() : value + last * 2 ** 28;
  }

  /** The length counts code units of UTF-16, each of which takes one to three bytes. */
  readText(form?: RegExp): string {
    const length = this.readNumber();
    if (this.#at + length > this.#bytes.length) this.fail();
    let text = '';
    for (let at = 0; at < length; at++) text += String.fromCharCode(this.#readUnit());
    return form === undefined || form.test(text) ? text : this.fail();
  }

  #readUnit(): number {
    const first = this.#readByte();
    if (first < 0x80) return first;
    if (first >> 5 === 6) return ((first & 0x1f) << 6) | this.#readContinuation();
    if (first >> 4 === 14) return ((first & 0x0f) << 12) | (this.#readContinuation() << 6) | this.#readContinuation();
    return this.fail();
  }

  #readContinuation(): number {
    const byte = this.#readByte();
    return byte >> 6 === 2 ? byte & 0x3f : this.fail();
  }

  #readByte(): number {
    return this.#bytes[this.#at++] ?? this.fail();
  }
}
