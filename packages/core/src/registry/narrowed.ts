import type { BaseConnection } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { RawConnection } from './document.ts';
import type { HostAddresses } from './host-addresses.ts';
import { isSamePlace, type Place, readPlaces } from './readonly-places.ts';
import type { EditRules } from './tool-input.ts';
import type { Fields } from './tree.ts';

/** A tool may neither take away nor move what a person has narrowed: another one could then be added in its place. */
export function assertNotNarrowed<C extends BaseConnection>(
  { name, raw }: RawConnection,
  how: 'moved' | 'removed',
  rules: EditRules<C>,
): void {
  const field = rules.byPerson ? undefined : narrowingField(raw, rules);
  if (field === undefined) return;
  throw new Failure('refused', `connection "${name}" has "${field}", so it cannot be ${how} by a tool`, {
    code: 'E_PERSON_ONLY',
    hint: `A person can do it with the command "connections", or in ${rules.storePath}.`,
  });
}

interface Written {
  name: string;
  raw: Fields;
  /** Whether `${VAR}` in it means a variable. */
  expands: boolean;
}

/** What a tool adds has nothing that narrows it, so through it more would be seen than through the one that is there. */
export function refuseNarrowedPlace<C extends BaseConnection>(
  { places, hosts }: { places: readonly Place[]; hosts: HostAddresses },
  others: readonly Written[],
  rules: EditRules<C>,
): void {
  for (const { name, raw, expands } of others) {
    const field = narrowingField(raw, rules);
    if (field === undefined) continue;
    const narrowed = readPlaces(raw, expands, rules.reader);
    if (!places.some((place) => narrowed.some((one) => isSamePlace(place, one, hosts)))) continue;
    throw new Failure('refused', `connection "${name}" leads there and has "${field}", so no tool can add another one`, {
      code: 'E_PERSON_ONLY',
      hint: `Use "${name}", or let a person add it.`,
    });
  }
}

function narrowingField<C extends BaseConnection>(raw: Fields, { narrowingFields }: EditRules<C>): string | undefined {
  return narrowingFields.find((field) => raw[field] !== undefined && raw[field] !== null);
}
