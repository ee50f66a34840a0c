/**
 * Puts each built server into one file that a desktop client installs: `dist/<name>-<version>.mcpb`, after `npm run build`.
 * It is what npm gets, with a manifest; the client brings Node.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { root } from '../steps.ts';
import { readPackage } from './manifests.ts';
import { formatZip, type ZipEntry } from './zip.ts';

export interface BundleSource {
  /** Of the package. */
  folder: string;
  /** Its `dist`, which may have been built elsewhere. */
  dist: string;
}

/** `package.json` says that the files are modules. */
export function bundleEntries({ folder, dist }: BundleSource): ZipEntry[] {
  if (!existsSync(join(dist, 'main.js'))) throw new Error(`${dist} has no main.js: run \`npm run build\` first`);
  const plain = ['manifest.json', 'package.json', 'README.md', 'LICENSE', 'THIRD_PARTY_NOTICES.md'];
  const files = plain.map((file) => ({ path: file, file: join(folder, file) })).filter(({ file }) => existsSync(file));
  return [...files, ...filesIn(dist)].map(({ path, file }) => ({
    path,
    bytes: readFileSync(file),
    mode: statSync(file).mode & 0o777,
  }));
}

function filesIn(dist: string): { path: string; file: string }[] {
  const found = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = found.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return files.map((file) => ({ path: ['dist', ...relative(dist, file).split(sep)].join('/'), file }));
}

if (process.argv[1]?.endsWith('mcpb.ts')) {
  const target = join(root, 'dist');
  mkdirSync(target, { recursive: true });
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : ['dbmole-mcp', 'esmole-mcp']) {
    const folder = join(root, 'packages', name);
    const archive = formatZip(bundleEntries({ folder, dist: join(folder, 'dist') }));
    const file = join(target, `${name}-${readPackage(name).version}.mcpb`);
    writeFileSync(file, archive);
    console.log(`${relative(root, file)}: ${archive.length} bytes`);
  }
}
