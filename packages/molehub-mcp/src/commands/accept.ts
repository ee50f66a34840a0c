import { confirm, formatVisible } from '@dbmole/core';
import { Hub } from '../hub/hub.ts';
import { acceptManifest, findChanges } from '../manifest/manifest.ts';
import type { HubCommandCall } from './commands.ts';

/** Shows each tool that is not as it was accepted, and accepts what was shown. */
export async function accept({ terminal, words: [name = ''], options, given }: HubCommandCall): Promise<number> {
  const hub = new Hub({ ...options, log: () => undefined });
  const server = hub.findServer(name);
  const manifest = hub.manifestFor(server);
  if (manifest === undefined) {
    terminal.print(`${formatVisible(name)} was never seen. Its tools are accepted as they are when it first starts.`);
    return 0;
  }
  const changes = findChanges(manifest);
  if (changes.length === 0) {
    terminal.print(`Nothing has changed since the tools of ${formatVisible(name)} were accepted.`);
    return 0;
  }
  for (const { kind, name: part, change, shown } of changes) {
    const title = kind === 'tool' ? part : `${kind} ${part}`.trimEnd();
    terminal.print(formatVisible(`${title} (${change}):\n${JSON.stringify(shown, null, 2)}`));
  }
  if (!(await confirm(terminal, { question: 'Accept these as they are now?', yes: given.yes }))) {
    terminal.print('Not accepted.');
    return 1;
  }
  const accepted = await acceptManifest(hub.manifestFile(server), manifest.seenAt);
  terminal.print(
    accepted === undefined
      ? 'They have changed again meanwhile. Run this again.'
      : `Accepted ${changes.length}. Running hubs notice it.`,
  );
  return accepted === undefined ? 1 : 0;
}
