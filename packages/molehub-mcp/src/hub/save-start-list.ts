import { changeFile } from '@dbmole/core';
import { program } from '../options.ts';
import type { Hub } from './hub.ts';
import { stampFiles, startListPath } from './start-list.ts';

/** Remembers the list for the next start, once every server was seen. */
export async function saveStartList(hub: Hub): Promise<void> {
  const { places, options, listing } = hub;
  const isWhole = hub.enabled.every((server) => hub.manifestFor(server)?.fingerprint === server.fingerprint);
  if (!isWhole) return;
  const manifests = hub.enabled.map((server) => hub.manifestFile(server));
  const stamps = stampFiles([places.named, places.project, places.own, places.trust, ...manifests]);
  const { shown, instructions } = listing;
  const text = `${JSON.stringify({ version: program.version, stamps, offer: { shown, instructions } })}\n`;
  await changeFile({
    path: startListPath(options, places),
    edit: (image) => (image?.bytes.toString('utf8') === text ? undefined : text),
  });
}
