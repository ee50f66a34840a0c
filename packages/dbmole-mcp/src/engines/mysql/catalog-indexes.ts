import type { TableDetails } from '../../catalog.ts';
import type { RowsOf } from './catalog-describe.ts';
import { formatExpression, formatIdentifier } from './identifiers.ts';

interface Index {
  name: string;
  parts: string[];
  unique: boolean;
  /** No more than its columns, so that it is the same as a key. */
  plain: boolean;
  columns: string[];
  method: string;
  hidden: string;
}

/** Here every unique index is a constraint, and every constraint an index. */
export function indexesOf(rowsOf: RowsOf): Pick<TableDetails, 'keys' | 'indexes'> {
  const indexes = readIndexes(rowsOf);
  const isKey = ({ unique, plain }: Index) => unique && plain;
  const keys = indexes.filter(isKey).map(({ name, columns }) => ({ word: name === 'PRIMARY' ? 'PK' : 'UNIQUE', columns }));
  return {
    keys: keys.sort((a, b) => Number(b.word === 'PK') - Number(a.word === 'PK')),
    indexes: indexes
      .filter((index) => !isKey(index))
      .map((index) => ({ name: formatIdentifier(index.name), definition: formatIndex(index) })),
  };
}

function readIndexes(rowsOf: RowsOf): Index[] {
  const indexes = new Map<string, Index>();
  for (const [name, column, collation, length, nonUnique, method, expression, hidden] of rowsOf('index')) {
    const key = name ?? '';
    const fresh = {
      name: key,
      parts: [],
      unique: nonUnique === '0',
      plain: true,
      columns: [],
      method: method ?? '',
      hidden: hidden ?? '',
    };
    const index = indexes.get(key) ?? fresh;
    indexes.set(key, index);
    const label = formatIdentifier(column ?? '');
    const base = expression ? `(${formatExpression(expression.replaceAll("\\'", "'"))})` : label;
    const part = `${base}${length ? `(${length})` : ''}${collation === 'D' ? ' DESC' : ''}`;
    index.parts.push(part);
    index.columns.push(label);
    index.plain &&= part === label && index.hidden === '';
  }
  return [...indexes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function formatIndex({ parts, unique, method, hidden }: Index): string {
  const words = [unique ? 'UNIQUE' : '', method === 'BTREE' ? '' : method, `(${parts.join(', ')})`, hidden];
  return words.filter((word) => word !== '').join(' ');
}
