import type { ForeignKey, SearchFilter, SearchHit } from '../../../catalog/catalog.ts';
import { parseNameParts } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { toReference } from './describe.ts';
import { isElsewhere } from './list.ts';
import { formatKind, ownTables, readPrimaryKeys, readReferences, readRelations, toKey } from './schema-facts.ts';

const columnsSql = `select m.name, c.name, c.type from sqlite_schema m join pragma_table_xinfo(m.name) c
where m.type in ('table', 'view') and c.hidden <> 1 order by lower(m.name), c.cid limit 20000`;

const othersSql = `select type, name, tbl_name from sqlite_schema
where type in ('index', 'trigger') and sql is not null order by type, name limit 20000`;

interface Thing extends SearchHit {
  /** What a word is looked for in. */
  text: string;
  /** The name alone. */
  bare: string;
  /** Words that find it only as a whole. */
  type: string;
  weight: number;
}

/** A hit has all words, and at least one of them in its own name or type. */
export async function search(run: CatalogRun, { words, schema, limit, offset }: SearchFilter): Promise<SearchHit[]> {
  if (isElsewhere(schema)) return [];
  const wanted = words.map((word) => word.toLowerCase());
  const things = await listThings(run);
  const hits = things.filter(
    ({ text, type, bare }) =>
      wanted.every((word) => text.includes(word) || type === word) && wanted.some((word) => bare.includes(word) || type === word),
  );
  const rank = ({ bare, weight }: Thing) => (wanted.includes(bare) ? 0 : 10) + weight;
  const sorted = hits.toSorted((one, other) => rank(one) - rank(other));
  return sorted.slice(offset, offset + limit + 1).map(({ kind, name, detail }) => ({ kind, name, detail }));
}

async function listThings(run: CatalogRun): Promise<Thing[]> {
  const [relations, columns, others] = await Promise.all([readRelations(run), run(columnsSql), run(othersSql)]);
  return [
    ...relations
      .filter(({ name }) => !ownTables.test(name))
      .map((relation) => {
        const bare = relation.name.toLowerCase();
        return {
          kind: formatKind(relation),
          name: formatIdentifier(relation.name),
          detail: '',
          text: bare,
          bare,
          type: '',
          weight: 0,
        };
      }),
    ...columns.map(([table, column, type]) => {
      const bare = (column ?? '').toLowerCase();
      const name = `${formatIdentifier(table ?? '')}.${formatIdentifier(column ?? '')}`;
      const text = `${(table ?? '').toLowerCase()} ${bare}`;
      return { kind: 'column', name, detail: type ?? '', text, bare, type: (type ?? '').toLowerCase(), weight: 1 };
    }),
    ...others.map(([kind, name, table]) => {
      const bare = (name ?? '').toLowerCase();
      const text = `${(table ?? '').toLowerCase()} ${bare}`;
      const detail = `on ${formatIdentifier(table ?? '')}`;
      // The name of its table is often a part of its own.
      const own = bare.replaceAll((table ?? '').toLowerCase(), '');
      return { kind: kind ?? '', name: formatIdentifier(name ?? ''), detail, text, bare: own, type: '', weight: 2 };
    }),
  ];
}

export async function columnNames(run: CatalogRun, tables: readonly string[]): Promise<string[]> {
  const wanted = new Set(tables.map((table) => toKey(parseNameParts(table).at(-1)?.text)));
  const rows = await run(columnsSql);
  const names = rows
    .filter(([table]) => wanted.size === 0 || wanted.has(toKey(table)))
    .map(([, name]) => formatIdentifier(name ?? ''));
  return [...new Set(names)];
}

export async function foreignKeys(run: CatalogRun): Promise<ForeignKey[]> {
  const [references, keys] = await Promise.all([readReferences(run), readPrimaryKeys(run)]);
  return references.map((reference) => {
    const { action: _action, ...rest } = toReference(reference, { keys });
    return { ...rest, from: formatIdentifier(reference.from) };
  });
}

export async function functionNames(run: CatalogRun): Promise<string[]> {
  return (await run('select distinct name from pragma_function_list limit 2000')).map(([name]) => name ?? '');
}
