import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, runCommand } from '../run/run-command.ts';
import { unavailable } from '../unavailable.ts';
import { cached, isCached, makeReadable } from './cache.ts';
import { withProgress } from './progress.ts';

const version = '4.0.0';
const name = `tpch-${version}-0.1`;
const pips = ['pip3', 'pip'];

/** A folder with the tables of TPC-H at scale 0.1 (870,000 rows) as CSV files with a header. The generator is on PyPI. */
export async function openTpch(): Promise<string> {
  const pip = pips.find((candidate) => findProgram(candidate) !== undefined);
  if (pip === undefined && !isCached(name))
    throw unavailable('pip is not on the PATH, and the generator of TPC-H comes from there', 'Install python3-pip.');
  return await cached(name, (directory) => withProgress('making TPC-H (105 MB)', () => generate(pip ?? '', directory)));
}

async function generate(pip: string, directory: string): Promise<void> {
  const wheel = `tpchgen-cli==${version}`;
  await runCommand({ command: pip, args: ['download', '-q', '--no-deps', '-d', directory, wheel], cwd: directory });
  const file = (await readdir(directory)).find((one) => one.endsWith('.whl')) ?? '';
  await runCommand({ command: 'unzip', args: ['-q', file], cwd: directory });
  const [program = ''] = (await readdir(directory, { recursive: true })).filter((one) => one.endsWith('scripts/tpchgen-cli'));
  await runCommand({ command: 'chmod', args: ['a+x', program], cwd: directory });
  await runCommand({
    command: join(directory, program),
    args: ['csv', '-s', '0.1', '--output-dir', directory],
    cwd: directory,
  });
  for (const rest of (await readdir(directory)).filter((one) => !one.endsWith('.csv'))) {
    await rm(join(directory, rest), { recursive: true });
  }
  await makeReadable(directory);
}
