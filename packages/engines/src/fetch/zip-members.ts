import { inflateRawSync } from 'node:zlib';
import { Failure } from '@dbmole/core/failure';
import { checkSum, download } from './maven-files.ts';

interface ZipPart {
  /** Its place in the repository of Maven. */
  readonly path: string;
  readonly isWanted: (name: string) => boolean;
  /** SHA-256 over the name and the content of each wanted file, in the order of their names. */
  readonly sha256: string;
}

interface Member {
  readonly name: string;
  readonly method: number;
  /** Bytes of the compressed content. */
  readonly size: number;
  /** Where its header begins. */
  readonly offset: number;
}

/** The record at the end of a zip, and the longest comment that may follow it. */
const tailBytes = 22 + 65_535;
/** Fetching this much that is not wanted is cheaper than another request. */
const maxGap = 512 * 1024;
const signatures = { member: 0x02014b50, content: 0x04034b50 };
const headerBytes = 30;
/** Room for the extra fields of a header. */
const headerRoom = 1024;

/** Fetches some files of a large zip, and little else of it. */
export async function fetchZipMembers({ path, isWanted, sha256 }: ZipPart): Promise<ReadonlyMap<string, Buffer>> {
  const wanted = [...listMembers(await downloadDirectory(path))].filter(({ name }) => !name.endsWith('/') && isWanted(name));
  const spans = joinSpans(wanted.sort((a, b) => a.offset - b.offset));
  const contents = new Map<string, Buffer>();
  for (const span of spans) {
    const bytes = await download(path, { start: span.start, end: span.end });
    for (const member of span.members) contents.set(member.name, readContent(bytes, member, span.start));
  }
  const sorted = [...contents].sort(([a], [b]) => (a < b ? -1 : 1));
  checkSum(path, sorted.flat(), sha256);
  return new Map(sorted);
}

/** The list of all files, which comes after them. */
async function downloadDirectory(path: string): Promise<Buffer> {
  const tail = await download(path, { start: -tailBytes });
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (at === -1) throw new Failure('internal', `${path} is not a zip`);
  const start = tail.readUInt32LE(at + 16);
  return await download(path, { start, end: start + tail.readUInt32LE(at + 12) });
}

function* listMembers(directory: Buffer): Generator<Member> {
  for (let at = 0; at < directory.length && directory.readUInt32LE(at) === signatures.member; ) {
    const lengths = [28, 30, 32].map((place) => directory.readUInt16LE(at + place));
    const name = directory.toString('utf8', at + 46, at + 46 + (lengths[0] ?? 0));
    const [method, size, offset] = [
      directory.readUInt16LE(at + 10),
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 42),
    ];
    yield { name, method, size, offset };
    at += 46 + lengths.reduce((sum, length) => sum + length, 0);
  }
}

interface Span {
  readonly start: number;
  end: number;
  readonly members: Member[];
}

function joinSpans(members: readonly Member[]): readonly Span[] {
  const spans: Span[] = [];
  for (const member of members) {
    const end = member.offset + headerBytes + member.name.length + headerRoom + member.size;
    const last = spans.at(-1);
    if (last !== undefined && member.offset - last.end <= maxGap) {
      last.members.push(member);
      last.end = end;
    } else spans.push({ start: member.offset, end, members: [member] });
  }
  return spans;
}

function readContent(bytes: Buffer, { name, method, size, offset }: Member, start: number): Buffer {
  const at = offset - start;
  if (bytes.readUInt32LE(at) !== signatures.content) throw new Failure('internal', `${name} is not where its zip says`);
  const from = at + headerBytes + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const content = bytes.subarray(from, from + size);
  return method === 0 ? content : inflateRawSync(content);
}
