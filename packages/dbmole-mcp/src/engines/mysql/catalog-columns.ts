import type { ColumnDetails } from '../../catalog.ts';
import { formatParenthesised } from '../../parenthesised.ts';
import type { CatalogContext } from './catalog-context.ts';
import type { RowsOf } from './catalog-describe.ts';
import { formatExpression, formatIdentifier } from './identifiers.ts';

export function columnsOf(rowsOf: RowsOf, { maria }: CatalogContext): ColumnDetails[] {
  const json = maria ? jsonColumns(rowsOf) : new Set<string>();
  return rowsOf('column').map(([name, type, nullable, text, extra, generated, comment]) => {
    const column = { type: type ?? '', extra: extra ?? '', generated: generated ?? '', text };
    return {
      name: formatIdentifier(name ?? ''),
      type: json.has(name ?? '') ? `${column.type} (json)` : column.type,
      nullable: nullable === 'YES',
      default: column.generated === '' ? formatDefault(column, maria) : undefined,
      filled: formatFilled(column),
      comment: comment === '' ? undefined : (comment ?? undefined),
    };
  });
}

/** What MariaDB makes of a column that was declared as JSON: a long text with a check of the column's own name. */
export function jsonCheck(name: string): string {
  return `json_valid(\`${name.replaceAll('`', '``')}\`)`;
}

function jsonColumns(rowsOf: RowsOf): Set<string> {
  const clauses = new Set(rowsOf('check').map(([, clause]) => clause));
  const names = rowsOf('column').map(([name]) => name ?? '');
  return new Set(names.filter((name) => clauses.has(jsonCheck(name))));
}

interface RawColumn {
  type: string;
  extra: string;
  generated: string;
  text: string | null | undefined;
}

/** MariaDB gives the default as one would write it; MySQL gives the value, and says in another place that it is an expression. */
function formatDefault({ type, extra, text }: RawColumn, maria: boolean): string | undefined {
  if (text === null || text === undefined || (maria && text === 'NULL')) return undefined;
  if (maria || /\bDEFAULT_GENERATED\b/.test(extra)) return formatExpression(text);
  if (/^(?:tinyint|smallint|mediumint|int|bigint|decimal|float|double|year|bit|binary|varbinary)\b/.test(type)) return text;
  return `'${text.replaceAll("'", "''")}'`;
}

function formatFilled({ extra, generated }: RawColumn): string | undefined {
  const words: string[] = [];
  if (/\bauto_increment\b/i.test(extra)) words.push('auto_increment');
  const update = /on update \S+/i.exec(extra)?.[0];
  if (update !== undefined) words.push(update);
  if (generated !== '') words.push(formatGenerated(extra, generated));
  if (/\bINVISIBLE\b/i.test(extra)) words.push('invisible');
  return words.length === 0 ? undefined : words.join(' ');
}

function formatGenerated(extra: string, generated: string): string {
  const kind = /STORED|PERSISTENT/i.test(extra) ? 'stored' : 'virtual';
  const expression = formatExpression(generated.replaceAll("\\'", "'"));
  return `generated ${kind} ${formatParenthesised(expression)}`;
}

/** Tables are seen by whoever has any right on them. */
export function rightsOf(rowsOf: RowsOf): string | undefined {
  const rights = rowsOf('column').map((cells) => /\bselect\b/i.test(cells[7] ?? ''));
  if (rights.every((may) => may)) return undefined;
  return rights.some((may) => may) ? 'SELECT on some columns only' : 'no SELECT';
}
