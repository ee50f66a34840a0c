import type { BaseConnection } from '../connection.ts';
import { askUser, describeFailure, Failure, type Hint } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import type { ConnectionLimits, Entry, Origin, Snapshot } from './entry.ts';
import type { Compiled, Listed } from './sources/snapshot.ts';

/** The failure of a server without connections. */
export const addFirst: Hint = {
  call: 'add_connection',
  run: 'connections add NAME URL',
  to: 'add one',
  tool: 'Ask the user to add one to the configuration.',
};

/** Names that are listed in a hint at most. */
const maxShown = 10;

export function unknownName(name: string, known: readonly string[]): Failure {
  const nearest = nearestNames(name, known);
  const shown = JSON.stringify(name.slice(0, 64));
  const hint: Hint =
    known.length > 0 && known.length <= maxShown
      ? `${known.length > 1 ? 'Use one of' : 'Use'} ${known.map((one) => `"${one}"`).join(', ')}.`
      : { call: 'list_connections', run: 'connections list', to: 'see the names' };
  return new Failure('unknown', `there is no connection ${shown}`, { hint, nearest });
}

/** Includes connections that cannot be used. */
export function findEntry<C extends BaseConnection>({ entries }: Snapshot<C>, name: string): Entry<C> {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  throw unknownName(
    name,
    entries.map((entry) => entry.name),
  );
}

export function findListed<C extends BaseConnection>(compiled: Compiled<C>, name: string | undefined): Listed<C> {
  if (name === undefined) return onlyOne(compiled);
  const found = compiled.byName.get(name);
  if (found) return found;
  throw compiled.byName.size === 0 ? noConnections(compiled) : unknownName(name, [...compiled.byName.keys()]);
}

/** A connection with a problem counts, one of a file that was never allowed does not. */
function isTaken<C extends BaseConnection>({ candidate, isReserved }: Listed<C>): boolean {
  return candidate !== undefined || isReserved === true;
}

function onlyOne<C extends BaseConnection>(compiled: Compiled<C>): Listed<C> {
  const counted = [...compiled.byName.values()].filter(isTaken);
  const [first, second] = counted;
  if (!first) throw noConnections(compiled);
  if (!second) return first;
  const names = counted.slice(0, maxShown).map(({ entry }) => `"${entry.name}"`);
  const more = counted.length > names.length ? ` and ${counted.length - names.length} more` : '';
  throw new Failure('input', `there are ${counted.length} connections, so the call must name one`, {
    hint: `Name one of ${names.join(', ')}${more}.`,
  });
}

function noConnections<C extends BaseConnection>(compiled: Compiled<C>): Failure {
  const problem = compiled.snapshot.problems[0]?.failure;
  if (problem !== undefined) return new Failure('unknown', 'no connection can be used', { hint: describeFailure(problem) });
  return new Failure('unknown', 'there are no connections yet', { hint: addFirst });
}

export function usable<C extends BaseConnection>(listed: Listed<C>): Entry<C> & { config: C } {
  const { entry } = listed;
  if (entry.problem) throw entry.problem;
  if (!isConfigured(entry)) throw new Failure('internal', `connection "${entry.name}" has neither a configuration nor a problem`);
  return entry;
}

function isConfigured<C extends BaseConnection>(entry: Entry<C>): entry is Entry<C> & { config: C } {
  return entry.config !== undefined;
}

/** A connection that a stronger source hides would be stored and never used; that does not help the person who adds it. */
export function refuseTaken<C extends BaseConnection>(listed: Listed<C> | undefined): void {
  if (listed && isTaken(listed)) throw taken(listed.entry.name, listed.entry.origin.where);
}

export function taken(name: string, where: string): Failure {
  return new Failure('input', `there is already a connection "${name}" in ${where}`, {
    code: 'E_NAME_TAKEN',
    hint: [
      'Choose another name.',
      { call: 'update_connection', run: `connections update ${name} KEY=VALUE`, to: 'change that one' },
    ],
  });
}

export function refuseForeign<C extends BaseConnection>(listed: Listed<C>, storePath: string): void {
  const { entry } = listed;
  if (entry.editable) return;
  const also = entry.shadows.some(({ kind }) => kind === 'store') ? `; one of that name in ${storePath} is hidden by it` : '';
  throw new Failure(
    'refused',
    `connection "${entry.name}" comes from ${entry.origin.where} and can only be changed there${also}`,
    { code: 'E_NOT_EDITABLE', hint: askUser(`edit ${entry.origin.where}`) },
  );
}

/** Each state of the connections as one client sees it. The same state returns the same object, because changes are detected by identity. */
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
