import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Failure } from '@dbmole/core/failure';
import { runCommand } from '../run/run-command.ts';
import { withLock } from './cache.ts';

const attempts = 3;
/** Pinned: without a version Maven takes whatever is newest. */
const evaluateGoal = 'org.apache.maven.plugins:maven-help-plugin:3.5.1:evaluate';
const repositoryExpression = 'project.remoteArtifactRepositories[0].url';

let repository: Promise<string> | undefined;

/** The address that Maven itself would use, which may be a mirror. It is evaluated outside of any project. */
async function findRepository(): Promise<string> {
  const args = ['-q', '-B', evaluateGoal, `-Dexpression=${repositoryExpression}`, '-DforceStdout'];
  const printed = await withLock('maven', () => runCommand({ command: 'mvn', args, cwd: tmpdir() }));
  const [address] = /https?:\/\/[\w.:/@%~+-]+/.exec(printed) ?? [];
  if (address === undefined) throw new Failure('internal', 'Maven names no repository');
  return address.replace(/\/$/, '');
}

/** A range of bytes of a file, its end excluded; a negative start counts from the end of the file. */
interface ByteRange {
  readonly start: number;
  readonly end?: number;
}

/** Downloads a file of Maven's repository, or a part of one. Maven itself can only fetch whole files. */
export async function download(path: string, range?: ByteRange): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await downloadOnce(path, range);
    } catch (error) {
      if (attempt === attempts) throw downloadFailure(path, error instanceof Error ? error.message : String(error), error);
    }
  }
}

async function downloadOnce(path: string, range: ByteRange | undefined): Promise<Buffer> {
  const expected = range === undefined ? 200 : 206;
  repository ??= findRepository();
  const response = await fetch(
    `${await repository}/${path}`,
    range === undefined ? {} : { headers: { range: formatRange(range) } },
  );
  if (response.status === expected) return Buffer.from(await response.arrayBuffer());
  await response.body?.cancel();
  throw new Failure('internal', `status ${response.status}, expected ${expected}`);
}

function formatRange({ start, end }: ByteRange): string {
  if (start < 0) return `bytes=${start}`;
  return `bytes=${start}-${end === undefined ? '' : end - 1}`;
}

/** Throws unless the parts together have this SHA-256, in hexadecimal. */
export function checkSum(path: string, parts: Iterable<string | Buffer>, expected: string): void {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const actual = hash.digest('hex');
  if (actual !== expected) throw downloadFailure(path, `the SHA-256 is ${actual}, expected ${expected}`);
}

function downloadFailure(path: string, reason: string, cause?: unknown): Failure {
  return new Failure('internal', `cannot fetch ${path} from the repository of Maven: ${reason}`, { code: 'E_DOWNLOAD', cause });
}
