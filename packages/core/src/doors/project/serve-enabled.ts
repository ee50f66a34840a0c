import { join } from 'node:path';
import { askUser, Failure } from '../../failure.ts';
import { readSmallFile } from '../../files/read-file.ts';
import { parseDocument, readServeEnabled } from '../../registry/sources/document.ts';
import { projectFilePlaces, trustPathFor } from '../../registry/sources/paths.ts';
import { createTrust, readProjectImage, toProjectFile } from '../../registry/trust/trust.ts';

/** The files that can disable `serve`. */
export interface ServeFiles {
  /** The name of project files, such as `.dbmole.json`. */
  projectFileName: string;
  /** The user's own configuration. */
  storePath: string;
  /** A file that takes the place of all project files (`--config`). */
  configPath?: string | undefined;
}

interface Verdict {
  where: string;
  enabled: boolean;
}

/** Fails when the most specific file that has `serve.enabled` sets it to false: the project's, one of a folder above, the user's. */
export function assertServeEnabled(root: string, files: ServeFiles): void {
  const verdict = findProjectVerdict(root, files) ?? readOwn(files.storePath);
  if (verdict === undefined || verdict.enabled) return;
  const own = files.configPath ?? join(root, files.projectFileName);
  const nearer = verdict.where === own ? '' : `, or allow "serve": { "enabled": true } in ${own}`;
  throw new Failure('refused', `serve is disabled for project ${root} by ${verdict.where}`, {
    code: 'E_SERVE_DISABLED',
    hint: askUser(`change "enabled" under "serve" there${nearer}`),
  });
}

function findProjectVerdict(root: string, { projectFileName, storePath, configPath }: ServeFiles): Verdict | undefined {
  if (configPath !== undefined) return readOwn(configPath);
  const trust = createTrust(trustPathFor(storePath));
  for (const place of projectFilePlaces(root, projectFileName)) {
    const image = readProjectImage(place);
    if (image === undefined) continue;
    const file = toProjectFile(image);
    const verdict = readVerdict(file.text, file.path);
    // A file that came with a repository may disable. Only one that the user has allowed may enable what another file disables.
    if (verdict !== undefined && (!verdict.enabled || trust.isAllowed(file))) return verdict;
  }
  return undefined;
}

function readOwn(path: string): Verdict | undefined {
  const image = readSmallFile(path);
  return image && readVerdict(image.bytes.toString('utf8'), path);
}

function readVerdict(text: string, where: string): Verdict | undefined {
  const enabled = readServeEnabled(parseDocument(text, where, { comments: true }).value, where);
  return enabled === undefined ? undefined : { where, enabled };
}
