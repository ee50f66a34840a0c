import { Failure, nearestNames } from '@dbmole/core';
import type { Field } from './flatten.ts';
import type { MappingGroup } from './group-mappings.ts';

/** Names with `*`, separated by commas; a name alone also finds what is inside of it. */
export function filterFields(groups: readonly MappingGroup[], text: string | undefined): readonly MappingGroup[] {
  if (text === undefined) return groups;
  const patterns = text.split(',').map((part) => part.trim().toLowerCase());
  const matches = ({ name, inner }: Field) =>
    [name, ...inner.map((one) => `${name}.${one}`)].some((full) =>
      patterns.some((pattern) => isMatch(pattern, full.toLowerCase())),
    );
  const found = groups.map(({ indices, fields }) => ({ indices, fields: fields.filter(matches) }));
  const some = found.filter(({ fields }) => fields.length > 0);
  if (some.length === 0) throw unknownField(groups, text);
  return some;
}

function unknownField(groups: readonly MappingGroup[], text: string): Failure {
  const names = groups.flatMap(({ fields }) => fields.map(({ name }) => name));
  return new Failure('unknown', `no field matches ${JSON.stringify(text.slice(0, 200))}`, {
    code: 'E_UNKNOWN_FIELD',
    nearest: nearestNames(text.replaceAll('*', ''), names),
    hint: 'Give names with *, separated by commas, or leave out `fields`.',
  });
}

/** By looking for one part after the other: no pattern makes it slow. */
function isMatch(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return name === first || name.startsWith(`${first}.`);
  if (!name.startsWith(first)) return false;
  const last = parts.pop() ?? '';
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
