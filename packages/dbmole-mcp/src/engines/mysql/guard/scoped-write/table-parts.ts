import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { formatText } from '../../values/literal.ts';
import { type ObjectName, quoteName } from '../catalog/guard-queries.ts';
import type { Verb } from './row-changes.ts';

/** A foreign key, seen from one of its two tables. */
export interface ForeignKey {
  readonly label: string;
  readonly other: ObjectName;
  /** Columns of this table, and of the one that refers, in lower case. */
  readonly own: readonly string[];
  readonly referring: readonly string[];
  /** Rules that only check are RESTRICT and NO ACTION; empty where the account may not see them. */
  readonly onDelete: string;
  readonly onUpdate: string;
}

export interface TableTrigger {
  readonly name: ObjectName;
  readonly verb: Verb;
  readonly isBefore: boolean;
}

export interface TableParts {
  readonly triggers: readonly TableTrigger[];
  /** Keys of this table to others. */
  readonly outgoing: readonly ForeignKey[];
  /** Keys of others to this table. */
  readonly incoming: readonly ForeignKey[];
  /** Columns that get a value when none is given. */
  readonly filled: readonly string[];
}

const keys = (own: 'table' | 'referenced_table', { schema, name }: ObjectName) => `
  SELECT k.CONSTRAINT_SCHEMA, k.CONSTRAINT_NAME, k.TABLE_SCHEMA, k.TABLE_NAME, k.COLUMN_NAME,
    k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE
  FROM information_schema.KEY_COLUMN_USAGE k LEFT JOIN information_schema.REFERENTIAL_CONSTRAINTS r
    ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
  WHERE k.${own.toUpperCase()}_SCHEMA = ${formatText(schema)} AND k.${own.toUpperCase()}_NAME = ${formatText(name)}
    AND k.REFERENCED_TABLE_NAME IS NOT NULL ORDER BY 1, 4, 2, k.ORDINAL_POSITION`;

export async function openParts(run: CatalogQuestion, table: ObjectName, maria: boolean): Promise<TableParts> {
  const place = `TABLE_SCHEMA = ${formatText(table.schema)} AND TABLE_NAME = ${formatText(table.name)}`;
  // MariaDB writes defaults as expressions.
  const hasDefault = maria ? "COLUMN_DEFAULT <> 'NULL'" : 'COLUMN_DEFAULT IS NOT NULL';
  const [triggers, outgoing, incoming, filled] = await Promise.all([
    run(
      `SELECT TRIGGER_SCHEMA, TRIGGER_NAME, EVENT_MANIPULATION, ACTION_TIMING FROM information_schema.TRIGGERS
        WHERE EVENT_OBJECT_SCHEMA = ${formatText(table.schema)} AND EVENT_OBJECT_TABLE = ${formatText(table.name)}`,
    ),
    run(keys('table', table)),
    run(keys('referenced_table', table)),
    run(`SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE ${place} AND (${hasDefault} OR EXTRA <> '')`),
  ]);
  return {
    triggers: triggers.map(([schema, name, verb, timing]) => ({
      name: { schema: schema ?? '', name: name ?? '' },
      // The server has no others.
      verb: verb as Verb,
      isBefore: timing === 'BEFORE',
    })),
    outgoing: groupKeys(outgoing, true),
    incoming: groupKeys(incoming, false),
    filled: filled.map(([name]) => (name ?? '').toLowerCase()),
  };
}

function groupKeys(rows: Awaited<ReturnType<CatalogQuestion>>, isOutgoing: boolean): ForeignKey[] {
  const found = new Map<string, ForeignKey & { own: string[]; referring: string[] }>();
  for (const row of rows) {
    const [place = '', name = '', schema = '', table = '', column = '', otherSchema = '', other = '', otherColumn = ''] = row.map(
      (cell) => cell ?? '',
    );
    const key = JSON.stringify([place, table, name]);
    const target = isOutgoing ? { schema: otherSchema, name: other } : { schema, name: table };
    const known = found.get(key) ?? {
      label: `the foreign key ${name}`,
      other: target,
      own: [],
      referring: [],
      onDelete: row[8] ?? '',
      onUpdate: row[9] ?? '',
    };
    known.own.push((isOutgoing ? column : otherColumn).toLowerCase());
    known.referring.push(column.toLowerCase());
    found.set(key, known);
  }
  return [...found.values()];
}

/** The statement that creates a trigger, and the mode in which it runs. */
export async function readTriggerText({ schema, name }: ObjectName, run: CatalogQuestion) {
  const [row] = await run(`SHOW CREATE TRIGGER ${quoteName(schema)}.${quoteName(name)}`);
  const [, sqlMode, text, charset] = row ?? [];
  return { sqlMode: sqlMode ?? '', text: text ?? '', charset: charset ?? '' };
}
