import type { ReferenceDetails, TableDetails } from '../../catalog.ts';
import type { CatalogContext } from './catalog-context.ts';
import type { RowsOf } from './catalog-describe.ts';
import { mostNamed } from './catalog-describe-sql.ts';
import { formatIdentifier } from './identifiers.ts';

interface Names extends Pick<CatalogContext, 'labelOf'> {
  schema: string;
}

interface Building extends ReferenceDetails {
  columns: string[];
  targets: string[];
}

export function referencesOf(rowsOf: RowsOf, { labelOf }: Names): ReferenceDetails[] {
  const rules = new Map(rowsOf('rule').map(([name, update, remove]) => [name, formatAction(update, remove)]));
  const references = new Map<string, Building>();
  for (const [name, column, schema, table, target] of rowsOf('reference')) {
    const label = labelOf(schema, table);
    collect(references, { key: name ?? '', table: label, column, target, action: rules.get(name ?? '') ?? '' });
  }
  return [...references.values()];
}

export function referencedBy(rowsOf: RowsOf, { labelOf }: Names): TableDetails['referencedBy'] {
  const keyOf = (name: string | null | undefined, schema: string | null | undefined, table: string | null | undefined) =>
    JSON.stringify([schema, table, name]);
  const rules = new Map(
    rowsOf('incoming rule').map(([name, schema, table, update, remove]) => [
      keyOf(name, schema, table),
      formatAction(update, remove),
    ]),
  );
  const references = new Map<string, Building>();
  for (const [name, schema, table, column, target] of rowsOf('incoming')) {
    const key = keyOf(name, schema, table);
    collect(references, { key, table: labelOf(schema, table), column, target, action: rules.get(key) ?? '' });
  }
  const all = [...references.values()].sort((a, b) => (a.table < b.table ? -1 : 1));
  return { shown: all.slice(0, mostNamed), total: all.length };
}

interface Part {
  key: string;
  table: string;
  column: string | null | undefined;
  target: string | null | undefined;
  action: string;
}

function collect(references: Map<string, Building>, { key, table, column, target, action }: Part): void {
  const reference = references.get(key) ?? { table, action, columns: [], targets: [] };
  references.set(key, reference);
  reference.columns.push(formatIdentifier(column ?? ''));
  reference.targets.push(formatIdentifier(target ?? ''));
}

/** RESTRICT and NO ACTION are the same here, and what happens when nothing is said. */
function formatAction(update: string | null | undefined, remove: string | null | undefined): string {
  const said = (word: string, rule: string | null | undefined) =>
    rule && !/^(?:RESTRICT|NO ACTION)$/.test(rule) ? `ON ${word} ${rule}` : '';
  return [said('DELETE', remove), said('UPDATE', update)].filter((action) => action !== '').join(' ');
}
