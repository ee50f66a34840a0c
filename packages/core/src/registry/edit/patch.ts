import type { BaseConnection } from '../../connection.ts';
import { askUser, Failure } from '../../failure.ts';
import { secretPlacesIn } from '../schema-fields.ts';
import type { RawConnection } from '../sources/document.ts';
import { canonical, type Fields, formatPath, isFields, valueAt } from '../tree.ts';
import { readPlaces } from '../trust/readonly-places.ts';
import { unfoldUrl } from './split-url.ts';
import { type EditRules, inStore } from './tool-input.ts';

/** The connection with the patch applied, every rule checked against what the store holds at this moment. */
export function applyPatch<C extends BaseConnection>(stored: RawConnection, patch: Fields, rules: EditRules<C>): Fields {
  const current = { ...stored, raw: unfoldUrl(stored.raw, patch, rules) };
  const { name } = current;
  if ('name' in patch && patch.name !== name) {
    throw new Failure('input', `the name of connection "${name}" cannot be changed`, {
      hint: 'Add a connection under the other name and remove this one.',
    });
  }
  if (!rules.asUser) refuseLoosening(current, patch, rules);
  const merged: Fields = { ...current.raw };
  if ('type' in patch && patch.type !== current.raw.type) delete merged.port;
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = value;
  }
  if (merged.file === undefined) delete merged.noLinks;
  if (!rules.asUser) {
    refuseRedirect(current, { patch, merged }, rules);
    refuseOtherLookUp(current, patch, rules);
  }
  return merged;
}

/** Anything but a plain false counts as set, also a placeholder: this fails closed. */
function refuseLoosening<C extends BaseConnection>(current: RawConnection, patch: Fields, rules: EditRules<C>): void {
  const held = current.raw.readonly;
  if (!('readonly' in patch) || held === undefined || held === false || patch.readonly === true) return;
  throw new Failure('refused', `connection "${current.name}" is read-only, and no tool can change that`, {
    code: 'E_READONLY_LOCKED',
    hint: askUser(`set "readonly" to false in ${rules.storePath}`),
  });
}

/**
 * The owner of the host and port gets the password that is sent there. A secret of the SSH servers is not at risk: a new
 * `ssh` replaces the old one with its secrets, and a new `host` is reached through the same servers.
 */
function refuseRedirect<C extends BaseConnection>(
  current: RawConnection,
  { patch, merged }: { patch: Fields; merged: Fields },
  rules: EditRules<C>,
): void {
  const moved = rules.routeFields.filter((field) => field in patch && !same(patch[field] ?? undefined, current.raw[field]));
  if (movesPort(current.raw, merged, rules)) moved.push('port');
  if (moved.length === 0) return;
  const kept = secretPlacesIn(current.raw, rules.reader.connections.secretFields).find(
    ({ path }) => path[0] !== 'ssh' && !(String(path[0]) in patch),
  );
  if (!kept) return;
  const field = formatPath(kept.path);
  const message = `connection "${current.name}" keeps a stored ${field}; with another ${moved.join(' and ')} it would be sent elsewhere`;
  throw new Failure('refused', message, {
    code: 'E_SECRET_REDIRECT',
    hint: [`Pass ${field} in the same call, or null to remove it.`, askUser(`edit ${rules.storePath} otherwise`)],
  });
}

/** What has nothing to do with where a connection goes, and as whom. */
const harmless: readonly string[] = ['name', 'readonly', 'timeoutMs', 'description', 'environment'];

/** Where a secret is looked up by what the connection says, another user would get another one's password. */
function refuseOtherLookUp<C extends BaseConnection>({ name, raw }: RawConnection, patch: Fields, rules: EditRules<C>): void {
  const lookedUp = secretPlacesIn(raw, rules.reader.connections.secretFields).find(({ path }) => {
    const value = valueAt(raw, path);
    return isFields(value) && 'from' in value && !(String(path[0]) in patch);
  });
  const changed = Object.keys(patch).find((field) => !harmless.includes(field) && !same(patch[field] ?? undefined, raw[field]));
  if (lookedUp === undefined || changed === undefined) return;
  const field = formatPath(lookedUp.path);
  throw new Failure(
    'refused',
    `connection "${name}" looks up its ${field}; with another ${changed} the lookup could return that of someone else`,
    {
      code: 'E_SECRET_REDIRECT',
      hint: [`Pass ${field} in the same call, or null to remove it.`, askUser(`edit ${rules.storePath} otherwise`)],
    },
  );
}

/** Compares the ports that are used. Where one cannot be read, compares what decides about it. */
function movesPort<C extends BaseConnection>(before: Fields, after: Fields, rules: EditRules<C>): boolean {
  const [from, to] = [before, after].map((raw) => readPlaces(inStore(raw, rules), rules.reader)[0]?.port);
  if (from !== undefined && to !== undefined) return from !== to;
  return !same(before.port, after.port) || !same(before.type, after.type);
}

function same(a: unknown, b: unknown): boolean {
  return canonical([a ?? null]) === canonical([b ?? null]);
}
