import { formatBytes } from '../../../catalog/schema-text.ts';
import type { DdlEffect, DdlReader } from '../../../ddl/ddl-report.ts';
import { formatAction } from '../../../ddl/rule-table.ts';
import type { CatalogRun } from '../../../engine.ts';
import { isName, type Token } from '../../../statement/tokens.ts';
import { findRelation } from '../catalog/describe.ts';
import { readRelations } from '../catalog/schema-facts.ts';
import { formatSize, readFileSize, readSizes } from '../catalog/sizes.ts';
import { tokenize } from '../guard/text/lexer.ts';
import { readCommand } from '../session/statement-kind.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { effects } from './knowledge.ts';

/** Tells what a definition would do to the one lock that a SQLite file has. */
export const ddl: DdlReader = {
  async explain(run, sql) {
    const tokens = tokenize(sql);
    const command = readCommand(sql);
    const [[version = []], journal, objects] = await Promise.all([
      run('select sqlite_version()'),
      run('pragma journal_mode'),
      describeTable(run, tokens),
    ]);
    const isWal = journal[0]?.[0] === 'wal';
    return {
      command,
      server: `SQLite ${version[0] ?? ''}`,
      objects,
      effects: [describeEffect(command, tokens, isWal)],
      inTheWay: [],
      notes: ['It can be rolled back, so that dry_run tries it.'].filter(() => command !== 'VACUUM'),
    };
  },
};

function describeEffect(command: string, tokens: readonly Token[], isWal: boolean): DdlEffect {
  const lock = isWal
    ? 'the only write lock of the file; readers go on'
    : 'the only write lock of the file; at the commit, readers wait';
  const key = findKey(command, tokens);
  const { work, notes = [], safer = [] } = effects[key] ?? {};
  return { action: formatAction(key, undefined), lock, work, notes, safer };
}

const alterations = ['ADD COLUMN', 'DROP COLUMN', 'RENAME COLUMN', 'RENAME TO'];

function findKey(command: string, tokens: readonly Token[]): string {
  if (command !== 'ALTER TABLE') return command;
  const words = tokens.map(({ word }) => word);
  const verb = words.find((word, i) => i > 2 && ['ADD', 'DROP', 'RENAME'].includes(word)) ?? '';
  const next = words[words.indexOf(verb, 3) + 1] ?? '';
  const key = `${verb} ${verb === 'RENAME' ? (next === 'TO' ? 'TO' : 'COLUMN') : 'COLUMN'}`;
  return alterations.includes(key) ? `ALTER TABLE ${key}` : command;
}

async function describeTable(run: CatalogRun, tokens: readonly Token[]): Promise<string[]> {
  const [relations, bytes] = await Promise.all([readRelations(run), readFileSize(run)]);
  const file = `file: ${formatBytes(bytes)}`;
  const named = tokens.filter(isName).map(({ name }) => findRelation(relations, formatIdentifier(name)));
  const relation = named.find((one) => one !== undefined);
  if (relation === undefined) return [file];
  const size = [...(await readSizes(run, relation.type === 'view' ? [] : [relation.name])).values()][0];
  return [`${formatIdentifier(relation.name)}: ${formatSize(size)}`, file];
}
