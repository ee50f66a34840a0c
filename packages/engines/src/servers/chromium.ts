import { findInstallObstacle, installDebianPackage } from '../fetch/install-debian.ts';
import { findProgram } from '../run/run-command.ts';
import { unavailable } from '../unavailable.ts';
import type { Obstacle } from './recipe.ts';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function findChromium(): string | undefined {
  return programs.map(findProgram).find((path) => path !== undefined);
}

export function findChromiumObstacle(): Obstacle | undefined {
  return findChromium() === undefined ? findInstallObstacle('chromium') : undefined;
}

/** The executable of the machine's own Chromium or Chrome; without one, root installs Debian's package. */
export async function openChromium(): Promise<string> {
  const obstacle = findChromiumObstacle();
  if (obstacle) throw unavailable(`Chromium: ${obstacle.reason}`, obstacle.advice);
  if (findChromium() === undefined) await installDebianPackage('chromium', () => findChromium() !== undefined);
  const path = findChromium();
  if (path === undefined) throw unavailable('Chromium was installed and cannot be found', 'Install chromium.');
  return path;
}
