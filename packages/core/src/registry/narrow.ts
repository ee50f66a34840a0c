import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { ConnectionLimits, Entry, Origin } from './entry.ts';
import type { Compiled, Listed } from './sources/snapshot.ts';

/** Each state of the connections as one client sees it. The same state answers the same object, as news is told by identity. */
export function narrowed<C extends BaseConnection>(refresh: () => Compiled<C>, limits: ConnectionLimits): () => Compiled<C> {
  if (limits.readonly !== true && limits.connections === undefined) return refresh;
  const views = new WeakMap<Compiled<C>, Compiled<C>>();
  return () => {
    const whole = refresh();
    const view = views.get(whole) ?? narrowCompiled(whole, limits);
    views.set(whole, view);
    return view;
  };
}

function narrowCompiled<C extends BaseConnection>(whole: Compiled<C>, { readonly, connections }: ConnectionLimits): Compiled<C> {
  const visible = [...whole.byName].filter(([name]) => connections === undefined || connections.includes(name));
  const byName = new Map(visible.map(([name, listed]) => [name, readonly === true ? lockListed(listed) : listed] as const));
  const entries = [...byName.values()].map(({ entry }) => entry);
  const missing = entries.length === 0 && whole.byName.size > 0 ? noneVisible(connections ?? []) : [];
  return { ...whole, byName, snapshot: { ...whole.snapshot, entries, problems: [...missing, ...whole.snapshot.problems] } };
}

/** Without it, a client with a misspelled limit would read that nothing is configured. */
function noneVisible(connections: readonly string[]): { origin: Origin; failure: Failure }[] {
  const names = connections.map((name) => JSON.stringify(name)).join(', ');
  const failure = new Failure('unknown', `this client is limited to ${names}, and no connection has such a name`, {
    hint: 'Correct the limit, such as the header X-Mole-Connections.',
  });
  return [{ origin: { kind: 'option', where: 'the limits of this client' }, failure }];
}

function lockListed<C extends BaseConnection>(listed: Listed<C>): Listed<C> {
  const { entry } = listed;
  if (entry.config === undefined) return listed;
  const locked: Entry<C> = { ...entry, config: { ...entry.config, readonly: true } };
  return { ...listed, entry: locked };
}
