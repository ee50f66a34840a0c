import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  /** The path, with `/` between folders. */
  path: string;
  bytes: Buffer;
  /** The file's permissions. */
  mode: number;
}

const version = 20;
const madeOnUnix = (3 << 8) | version;
const namesAreUtf8 = 0x0800;
const deflated = 8;
/** 1 January 1980, so that the same files make the same archive. */
const day = (1 << 5) | 1;

/** A zip archive of less than 4 GiB, in the order of the entries. */
export function formatZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes, mode } of entries) {
    const name = Buffer.from(path, 'utf8');
    const data = deflateRawSync(bytes, { level: 9 });
    const shared = sharedFields({ name, data, bytes });
    const local = Buffer.concat([uint32(0x04034b50), shared, name, data]);
    const attributes = Buffer.concat([uint16(0), uint16(0), uint16(0), uint32(((0o100000 | mode) << 16) >>> 0), uint32(offset)]);
    directory.push(Buffer.concat([uint32(0x02014b50), uint16(madeOnUnix), shared, attributes, name]));
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const counts = Buffer.concat([uint16(0), uint16(0), uint16(entries.length), uint16(entries.length)]);
  const end = Buffer.concat([uint32(0x06054b50), counts, uint32(list.length), uint32(offset), uint16(0)]);
  return Buffer.concat([...parts, list, end]);
}

/** The header before each file, repeated in the directory: up to the length of the extra field. */
function sharedFields({ name, data, bytes }: { name: Buffer; data: Buffer; bytes: Buffer }): Buffer {
  return Buffer.concat([
    uint16(version),
    uint16(namesAreUtf8),
    uint16(deflated),
    uint16(0),
    uint16(day),
    uint32(crc32(bytes)),
    uint32(data.length),
    uint32(bytes.length),
    uint16(name.length),
    uint16(0),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
