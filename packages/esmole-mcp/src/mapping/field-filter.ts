import { Failure, findNearestNames, Turns } from '@dbmole/core';
import type { Field } from './flatten.ts';
import type { MappingGroup } from './group-mappings.ts';

/** Names with `*`, separated by commas; a name alone also finds what is inside of it. */
export async function filterFields(groups: readonly MappingGroup[], text: string | undefined): Promise<readonly MappingGroup[]> {
  if (text === undefined) return groups;
  const matchers = text.split(',').map((part) => createNameMatcher(part.trim().toLowerCase()));
  const matches = ({ name, inner }: Field) =>
    [name, ...inner.map((one) => `${name}.${one}`)].some((full) => matchers.some((match) => match(full.toLowerCase())));
  const turns = new Turns();
  // Groups without such a field are kept: that they lack it is part of the answer.
  const found = groups.map(({ indices }) => ({ indices, fields: [] as Field[] }));
  for (const [at, { fields }] of groups.entries()) {
    for (const field of fields) {
      if (matches(field)) found[at]?.fields.push(field);
      await turns.next();
    }
  }
  if (found.every(({ fields }) => fields.length === 0)) throw await createUnknownFieldFailure(groups, text);
  return found;
}

async function createUnknownFieldFailure(groups: readonly MappingGroup[], text: string): Promise<Failure> {
  const names = groups.flatMap(({ fields }) => fields.map(({ name }) => name));
  return new Failure('unknown', `no field matches ${JSON.stringify(text.slice(0, 200))}`, {
    code: 'E_UNKNOWN_FIELD',
    nearest: await findNearestNames(text.replaceAll('*', ''), names),
    hint: {
      tool: 'Pass names with *, separated by commas, or leave out `fields`.',
      cli: 'Pass names with *, separated by commas, or none.',
    },
  });
}

/** Looks for one part of the pattern after the other: no pattern makes it slow. */
export function createNameMatcher(pattern: string): (name: string) => boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return (name) => name === first || name.startsWith(`${first}.`);
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of parts) {
      const found = name.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}
