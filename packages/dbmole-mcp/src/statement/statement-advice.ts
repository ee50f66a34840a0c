import { type Failure, failureWith, nearestNames, quoteRemote } from '@dbmole/core';
import type { Description } from '../catalog/catalog.ts';
import { bareName } from '../catalog/nearest-tables.ts';

/** The codes that engines give to errors whose solution is in the catalog. */
export const ambiguousColumn = 'E_AMBIGUOUS_COLUMN';
export const invalidValue = 'E_INVALID_VALUE';

const maxTables = 5;
const maxText = 600;

export function needsTables({ code }: Failure): boolean {
  return code === ambiguousColumn || code === invalidValue;
}

/** The failure with a next step out of the tables that its statement names; undefined where they do not help. */
export function adviseFrom(failure: Failure, description: Description): Failure | undefined {
  return failure.code === ambiguousColumn ? adviseColumn(failure, description) : adviseValue(failure, description);
}

function adviseColumn(failure: Failure, { tables }: Description): Failure | undefined {
  const column = readQuoted(failure.message)[0]?.split('.').at(-1)?.toLowerCase();
  const holders = tables.filter(({ columns }) => columns.some(({ name }) => bareName(name).toLowerCase() === column));
  if (column === undefined || holders.length < 2) return undefined;
  const names = holders.slice(0, maxTables).map(({ name }) => name);
  const message = `${failure.message}; it is in ${quoteRemote(names.join(', '), maxText)}`;
  return failureWith(failure, { message, hint: 'Qualify the column with its table or alias.' });
}

interface EnumType {
  /** The type, or the column. */
  name: string;
  values: string;
}

function adviseValue(failure: Failure, description: Description): Failure | undefined {
  const quoted = readQuoted(failure.message).map((name) => name.split('.').at(-1) ?? '');
  const words = new Set([...quoted, ...(failure.message.match(/[\p{L}\p{N}_]+/gu) ?? [])].map((word) => word.toLowerCase()));
  const found = findEnums(description).find(({ name }) => words.has(name.toLowerCase()));
  if (found === undefined) return undefined;
  const [wanted = ''] = readQuoted(failure.message).filter((text) => text.toLowerCase() !== found.name.toLowerCase());
  const labels = [...found.values.matchAll(/'((?:[^']|'')*)'/g)].map(([, label = '']) => label.replaceAll("''", "'"));
  const message = `${failure.message}; its values are ${quoteRemote(found.values, maxText)}`;
  return failureWith(failure, { message, nearest: nearestNames(wanted, labels), hint: 'Use one of these values.' });
}

/** Types of their own, and columns that have their values in their type. */
function findEnums({ tables, types }: Description): EnumType[] {
  const ofTypes = types.map(({ name, definition }) => ({ name, type: definition }));
  const ofColumns = tables.flatMap(({ columns }) => columns);
  return [...ofTypes, ...ofColumns].flatMap(({ name, type }) => {
    const values = /^(?:enum|set)[ (](.*?)\)?$/s.exec(type)?.[1];
    return values === undefined ? [] : [{ name: bareName(name), values }];
  });
}

/** What the server quotes in its message, in any of its languages; the message itself is in our quotes. */
export function readQuoted(message: string): string[] {
  const said = message.slice(message.indexOf('“') + 1);
  const quotes = /"([^"]{1,200})"|'([^']{1,200})'|(?:`[^`]{1,200}`\.){0,2}`([^`]{1,200})`|«([^»]{1,200})»|„([^“”]{1,200})[“”]/g;
  return [...said.matchAll(quotes)].map(([, ...found]) => found.find((one) => one !== undefined)?.trim() ?? '');
}
