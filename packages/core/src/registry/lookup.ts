import type { BaseConnection } from '../connection.ts';
import { Failure, formatAdvice } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import type { Entry } from './entry.ts';
import type { Compiled, Listed } from './snapshot.ts';

export function unknownName(name: string, known: readonly string[]): Failure {
  const nearest = nearestNames(name, known);
  const shown = JSON.stringify(name.slice(0, 64));
  const hints =
    nearest.length > 0
      ? { hint: `Did you mean ${nearest.map((one) => `"${one}"`).join(' or ')}?` }
      : { hint: 'Call list_connections to see the names.', personHint: '`connections list` shows the names.' };
  return new Failure('unknown', `there is no connection ${shown}`, { ...hints, nearest });
}

export function findListed<C extends BaseConnection>(compiled: Compiled<C>, name: string | undefined): Listed<C> {
  if (name === undefined) return onlyOne(compiled);
  const found = compiled.byName.get(name);
  if (found) return found;
  throw compiled.byName.size === 0 ? noConnections(compiled) : unknownName(name, [...compiled.byName.keys()]);
}

/** A connection with a problem counts, one of a file nobody has allowed does not. */
function onlyOne<C extends BaseConnection>(compiled: Compiled<C>): Listed<C> {
  const counted = [...compiled.byName.values()].filter(({ candidate }) => candidate !== undefined);
  const [first, second] = counted;
  if (!first) throw noConnections(compiled);
  if (!second) return first;
  const names = counted.slice(0, 10).map(({ entry }) => `"${entry.name}"`);
  const more = counted.length > names.length ? ` and ${counted.length - names.length} more` : '';
  throw new Failure('input', `there are ${counted.length} connections, so the call must name one`, {
    hint: `Pass one of ${names.join(', ')}${more}.`,
  });
}

function noConnections<C extends BaseConnection>(compiled: Compiled<C>): Failure {
  const problem = compiled.snapshot.problems[0]?.failure;
  const hints = problem
    ? {
        hint: formatAdvice(problem),
        personHint: formatAdvice({ message: problem.message, hint: problem.personHint ?? problem.hint }),
      }
    : {
        hint: 'Add one with add_connection, or let a person write one into a file.',
        personHint: 'Add one: `connections add NAME URL`.',
      };
  return new Failure('unknown', 'there are no connections yet', hints);
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

/** A connection that a stronger source hides would be stored and never used; that is no help to whoever adds it. */
export function refuseTaken<C extends BaseConnection>(listed: Listed<C> | undefined): void {
  if (listed?.candidate) throw taken(listed.entry.name, listed.entry.origin.where);
}

export function taken(name: string, where: string): Failure {
  return new Failure('input', `there is already a connection "${name}" in ${where}`, {
    code: 'E_NAME_TAKEN',
    hint: 'Choose another name, or call update_connection if it is in the store.',
    personHint: 'Choose another name, or change that one: `connections update NAME KEY=VALUE`.',
  });
}

export function refuseForeign<C extends BaseConnection>(listed: Listed<C>, storePath: string): void {
  const { entry } = listed;
  if (entry.editable) return;
  const also = entry.shadows.some(({ kind }) => kind === 'store') ? `; one of that name in ${storePath} is hidden by it` : '';
  throw new Failure(
    'refused',
    `connection "${entry.name}" comes from ${entry.origin.where} and can only be changed there${also}`,
    {
      code: 'E_NOT_EDITABLE',
      hint: `A person edits ${entry.origin.where}.`,
      personHint: `Edit ${entry.origin.where}.`,
    },
  );
}
