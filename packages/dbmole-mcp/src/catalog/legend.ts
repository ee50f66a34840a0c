import type { Description, Part, TableDetails } from './catalog.ts';
import { commentLength, formatColumns, formatName, withoutDetails } from './schema-text.ts';

/** How tables are described: all parts in short, one line for each, or only some parts. */
export type View = 'whole' | 'brief' | readonly Part[];

/** A sign and its meaning, if a table as it is shown has it. */
type Sign = readonly [occurs: (table: TableDetails, shows: (part: Part) => boolean) => boolean, meaning: string];

const signs: readonly Sign[] = [
  [({ columns }, shows) => shows('columns') && columns.some(({ nullable }) => nullable), '`?` nullable'],
  [(table, shows) => shows('columns') && formatColumns(table).length < table.columns.length, '`a, b int` both int'],
];

const detailSigns: readonly Sign[] = [
  [({ columns }, shows) => shows('columns') && columns.some((column) => column.default !== undefined), '`=` default'],
  [({ references }, shows) => shows('references') && references.length > 0, '`->` references, with ON DELETE'],
  [({ referencedBy }, shows) => shows('references') && referencedBy.total > 0, '`<-` referenced by'],
  [hasNames, '`[x]` name of a constraint'],
  [({ columns }, shows) => shows('columns') && columns.some(({ comment }) => comment !== undefined), '`--` comment'],
];

const briefSigns: readonly Sign[] = [[({ references }) => references.length > 0, '`->` references, NO ACTION unless said']];

/** Signs of what is shown of the table itself, or cut. */
const wholeSigns: readonly Sign[] = [
  [({ rows }) => rows !== undefined, '`~` estimated'],
  [({ columns, comment }) => comment !== undefined && columns.every((column) => column.comment === undefined), '`--` comment'],
  [
    ({ columns, triggers }) =>
      [...columns.map(({ comment }) => comment ?? ''), ...triggers.map(({ definition }) => definition)].some(isLong),
    '`…` cut: the parts columns and triggers show it all',
  ],
];

/** Signs of what only parts show. */
const partSigns: readonly Sign[] = [[({ kind }, shows) => shows('stats') && kind !== 'view', '`~` estimated']];

/** What the signs in a description mean, and no other; for the first line of an answer. */
export function formatLegend({ tables }: Description, view: View): string {
  const shows = (part: Part) => typeof view === 'string' || view.includes(part);
  const all = view === 'brief' ? briefSigns : [...detailSigns, ...(view === 'whole' ? wholeSigns : partSigns)];
  const shown = view === 'brief' ? tables.map(withoutDetails) : tables;
  const meanings = [...signs, ...all]
    .filter(([occurs]) => shown.some((table) => occurs(table, shows)))
    .map(([, meaning]) => meaning);
  return meanings.length === 0 ? '' : `${[...new Set(meanings)].join('; ')}.`;
}

function hasNames({ keys, references, referencedBy, checks }: TableDetails, shows: (part: Part) => boolean): boolean {
  const named = [
    ...(shows('keys') ? keys : []),
    ...(shows('references') ? [...references, ...referencedBy.shown] : []),
    ...(shows('checks') ? checks.map(({ name, column }) => ({ name, columns: column === undefined ? [] : [column] })) : []),
  ];
  return named.some((constraint) => formatName(constraint) !== '');
}

function isLong(text: string): boolean {
  return [...text.replace(/\s+/gu, ' ').trim()].length > commentLength;
}
