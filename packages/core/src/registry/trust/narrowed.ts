import type { BaseConnection } from '../../connection.ts';
import { askUser, Failure } from '../../failure.ts';
import type { EditRules } from '../edit/tool-input.ts';
import type { WrittenConnection } from '../read-connection.ts';
import type { RawConnection } from '../sources/document.ts';
import type { HostAddresses } from '../sources/host-addresses.ts';
import type { Fields } from '../tree.ts';
import { isSamePlace, type Place, readPlaces } from './readonly-places.ts';

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
    hint: askUser(`do it with the command "connections", or in ${rules.storePath}`),
  });
}

/** What a tool adds has nothing that narrows it, so through it more would be seen than through the one that is there. */
export function refuseNarrowedPlace<C extends BaseConnection>(
  { places, hosts }: { places: readonly Place[]; hosts: HostAddresses },
  others: readonly (WrittenConnection & { name: string })[],
  rules: EditRules<C>,
): void {
  for (const other of others) {
    const { name } = other;
    const field = narrowingField(other.raw, rules);
    if (field === undefined) continue;
    const narrowed = readPlaces(other, rules.reader);
    if (!places.some((place) => narrowed.some((one) => isSamePlace(place, one, hosts)))) continue;
    throw new Failure(
      'refused',
      `connection "${name}" leads to the same place and has "${field}", so no tool can add another one`,
      {
        code: 'E_PERSON_ONLY',
        hint: [`Use "${name}".`, askUser('add the other one if it is needed')],
      },
    );
  }
}

function narrowingField<C extends BaseConnection>(raw: Fields, { restrictionFields }: EditRules<C>): string | undefined {
  return restrictionFields.find((field) => raw[field] !== undefined && raw[field] !== null);
}
