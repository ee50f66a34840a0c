import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readSmallFile, readStamp } from '@dbmole/core/read-file';
import { findPlaces, type Places, type Surroundings } from '../config/places.ts';
import { program } from '../options.ts';
import type { Offer } from '../session/hub-door.ts';
import { isFields } from '../session/json.ts';

/**
 * The list as it was offered last, with the state of every file that it was made of. While these are the same, a new hub answers
 * `tools/list` with it and loads nothing.
 */
export interface StartOptions extends Surroundings {
  config: string | undefined;
  search: boolean;
  pin: boolean;
}

const maxBytes = 32 * 1024 * 1024;

export function startListPath(options: StartOptions, { state, named, project, own }: Places): string {
  const { search, pin, cwd } = options;
  const key = JSON.stringify([named, project, own, project === undefined ? '' : cwd, search, pin]);
  return join(state, `start-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`);
}

/** Undefined when anything has changed since. */
export function readStartList(options: StartOptions): Offer | undefined {
  try {
    const places = findPlaces(options, options.config);
    const image = readSmallFile(startListPath(options, places), { maxBytes });
    const value: unknown = image === undefined ? undefined : JSON.parse(image.bytes.toString('utf8'));
    if (!isFields(value) || value.version !== program.version || !isFields(value.stamps) || !isFields(value.offer))
      return undefined;
    if (!isFields(value.offer.shown)) return undefined;
    const isCurrent = Object.entries(value.stamps).every(([path, stamp]) => (readStamp(path) ?? null) === stamp);
    // `saveStartList` of this version wrote it.
    return isCurrent ? (value.offer as unknown as Offer) : undefined;
  } catch {
    return undefined;
  }
}

/** The files whose change makes another list. */
export function stampFiles(paths: readonly (string | undefined)[]): Record<string, string | null> {
  return Object.fromEntries(paths.flatMap((path) => (path === undefined ? [] : [[path, readStamp(path) ?? null]])));
}
