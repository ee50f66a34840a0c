import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, runCommand } from '../run/run-command.ts';
import type { Obstacle } from '../servers/recipe.ts';
import { unavailable } from '../unavailable.ts';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const advice = 'Start a Docker engine, or give an address.';

/** Needs apt of a Debian; neither root nor an installation. */
export function findDebianObstacle(): Obstacle | undefined {
  const missing = ['apt-get', 'dpkg-deb', 'tar'].find((name) => findProgram(name) === undefined);
  if (missing !== undefined) return { reason: `${missing} is not on the PATH`, advice };
  if (process.arch !== 'x64') return { reason: `private Debian packages were only tried on x64, not ${process.arch}`, advice };
  if (!existsSync(keyring)) return { reason: 'this is not a Debian system', advice };
  return undefined;
}

/** Lets apt find and download the packages with all they need, down to libc, and unpacks them under `directory`. */
export async function fetchDebianPackages(suite: string, packages: string, directory: string): Promise<void> {
  await fetchPackages(suite, directory, ['-y', '--download-only', 'install', ...packages.split(' ')]);
}

/** The same for these packages alone. */
export async function fetchDebianFiles(suite: string, packages: string, directory: string): Promise<void> {
  await fetchPackages(suite, directory, ['download', ...packages.split(' ')]);
}

async function fetchPackages(suite: string, directory: string, args: readonly string[]): Promise<void> {
  const apt = join(directory, '.apt');
  const archives = join(apt, 'cache/archives');
  const config = await writeAptState(apt, suite);
  await runCommand({ command: 'apt-get', args: ['-c', config, '-qq', 'update'] });
  await runCommand({ command: 'apt-get', args: ['-c', config, '-qq', ...args], cwd: archives });
  await unpackAll(archives, directory);
  await rm(apt, { recursive: true });
}

/** Starts a program of the unpacked tree by the tree's own loader and libraries, so an older libc outside does not matter. */
export function privateCommand(tree: string, program: string): { command: string; args: readonly string[] } {
  const libraries = privateLibraries(tree);
  const loader = readdirSync(libraries).find((file) => file.startsWith('ld-linux-')) ?? 'ld-linux';
  return { command: join(libraries, loader), args: ['--library-path', libraries, join(tree, program)] };
}

export function privateLibraries(tree: string): string {
  const architecture = readdirSync(join(tree, 'usr/lib')).find((name) => name.endsWith('-linux-gnu')) ?? '';
  return join(tree, 'usr/lib', architecture);
}

async function writeAptState(apt: string, suite: string): Promise<string> {
  await mkdir(join(apt, 'state/lists/partial'), { recursive: true });
  await mkdir(join(apt, 'cache/archives/partial'), { recursive: true });
  // Nothing counts as installed, so everything is fetched.
  await writeFile(join(apt, 'status'), '');
  await writeFile(join(apt, 'sources.list'), `deb [signed-by=${keyring}] ${await findMirror()} ${suite} main\n`);
  const config = join(apt, 'apt.conf');
  await writeFile(config, aptConfig(apt));
  return config;
}

/** The mirror this machine uses itself. */
async function findMirror(): Promise<string> {
  const format = ['indextargets', '--format', '$(REPO_URI)', 'Identifier: Packages'];
  const uris = (await runCommand({ command: 'apt-get', args: format })).split('\n');
  const mirror = process.env.DBMOLE_DEBIAN_MIRROR || uris.find((uri) => uri.endsWith('/debian/'));
  if (mirror) return mirror;
  throw unavailable('apt knows no Debian mirror', 'Run apt-get update first, or set DBMOLE_DEBIAN_MIRROR.');
}

/** The hooks are cleared because those of container images delete what was downloaded. */
function aptConfig(apt: string): string {
  return `#clear DPkg::Post-Invoke;
#clear APT::Update::Post-Invoke;
Dir::State "${apt}/state";
Dir::State::status "${apt}/status";
Dir::Cache "${apt}/cache";
Dir::Log "${apt}";
Dir::Etc::sourcelist "${apt}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Debug::NoLocking "true";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
`;
}

async function unpackAll(archives: string, directory: string): Promise<void> {
  // A folder without a base system still has /bin apart from /usr/bin.
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    await mkdir(join(directory, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(directory, name));
  }
  // Only maintenance scripts want perl.
  const needed = (await readdir(archives)).filter((file) => file.endsWith('.deb') && !/^(perl|libperl|libgdbm)/.test(file));
  for (const file of needed) {
    const unpack = 'dpkg-deb --fsys-tarfile "$0" | tar -x -C "$1" --keep-directory-symlink --no-same-owner';
    await runCommand({ command: 'sh', args: ['-c', unpack, join(archives, file), directory] });
  }
}
