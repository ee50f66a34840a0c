import { findQueryFolders } from '../queries/find-folders.ts';
import type { LoadedQueries, QueryKind } from '../queries/loaded-queries.ts';
import { trustPathFor } from '../registry/sources/paths.ts';
import { createTrust } from '../registry/trust/trust.ts';
import { type AppOptions, findStorePath } from './app.ts';
import { readSettings, serverSettings } from './settings.ts';

/** What of a server's definition is about saved queries. */
export interface WithQueries {
  program: { app: string; name?: string };
  queries?: QueryKind;
}

interface LoadPlaces extends Pick<AppOptions, 'env' | 'cwd' | 'home' | 'settings'> {
  given?: { isAll: boolean } | undefined;
  /** Loads them without a folder as well, for commands. */
  always?: boolean;
}

/**
 * The saved queries of a server; undefined where there is no folder of them, and then nothing of what reads them is loaded.
 */
export async function loadQueries(
  { queries: kind, program }: WithQueries,
  options: LoadPlaces,
): Promise<LoadedQueries | undefined> {
  if (kind === undefined) return undefined;
  const { app, name = app } = program;
  const { cwd, given, always = false } = options;
  const onlyNamed = given?.isAll === true;
  const env = onlyNamed ? {} : options.env;
  const settings = readSettings(serverSettings, { app, env, given: options.settings ?? {}, cwd });
  const storePath = findStorePath(app, options);
  const folders = findQueryFolders({ app, storePath, cwd, named: settings.queries, onlyNamed });
  if (folders.length === 0 && kind.bring === undefined && !always) return undefined;
  const [{ LoadedQueries: Loaded }, bodies, brought = []] = await Promise.all([
    import('../queries/loaded-queries.ts'),
    kind.load(),
    kind.bring?.(),
  ]);
  return new Loaded({
    kind,
    bodies,
    folders,
    brought,
    trust: createTrust(trustPathFor(storePath)),
    allowCommand: `${name} allow`,
    form: settings['queries-as'],
  });
}
