/**
 * Makes one file that a desktop client installs of each packed server: `npm pack` first, then
 * `node --import tsx scripts/release/mcpb.ts dist/*.tgz`. It is what npm gets, with a manifest; the client brings Node.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { root } from '../steps.ts';
import { formatZip, type ZipEntry } from './zip.ts';

interface Bundle {
  /** `<name>-<version>.mcpb`. */
  name: string;
  entries: ZipEntry[];
}

/** All files of the package, and the manifest of its server. */
export function readBundle(tarball: string): Bundle {
  const scratch = mkdtempSync(join(tmpdir(), 'mole-bundle-'));
  try {
    execFileSync('tar', ['-xzf', tarball, '-C', scratch]);
    const folder = join(scratch, 'package');
    // Packed by npm, which takes nothing without a name and a version.
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
    const manifest = { path: 'manifest.json', file: join(root, 'packages', String(name), 'manifest.json') };
    const entries = [manifest, ...filesIn(folder)].map(({ path, file }) => ({
      path,
      bytes: readFileSync(file),
      mode: statSync(file).mode & 0o777,
    }));
    return { name: `${name}-${version}.mcpb`, entries };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function filesIn(folder: string): { path: string; file: string }[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = found.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return files.map((file) => ({ path: relative(folder, file).split(sep).join('/'), file }));
}

if (process.argv[1]?.endsWith('mcpb.ts')) {
  for (const tarball of process.argv.slice(2)) {
    const { name, entries } = readBundle(tarball);
    const archive = formatZip(entries);
    writeFileSync(join(dirname(tarball), name), archive);
    console.log(`${name}: ${archive.length} bytes`);
  }
}
