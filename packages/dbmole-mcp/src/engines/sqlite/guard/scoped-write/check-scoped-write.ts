import { outOfScope, type Scope } from '../../../../policy/scope.ts';
import type { Token } from '../../../../statement/tokens.ts';
import { toKey } from '../../catalog/schema-facts.ts';
import { readCommand } from '../../session/statement-kind.ts';
import type { PlannedText } from '../columns/plan-read.ts';
import { listNames, type Schema } from '../columns/schema.ts';
import { allowsTable, findDefined, refuseOutside } from '../scope.ts';
import { tokenize } from '../text/lexer.ts';

const changes: ReadonlySet<string> = new Set(['INSERT', 'REPLACE', 'UPDATE', 'DELETE', 'SELECT', 'VALUES', 'WITH']);
const definitions: ReadonlySet<string> = new Set([
  'CREATE TABLE',
  'CREATE VIEW',
  'CREATE INDEX',
  'DROP TABLE',
  'DROP VIEW',
  'DROP INDEX',
]);

/**
 * Refuses a write that leads outside of the scope. SQLite has put all that it leads to into its program: the tables of views, foreign keys
 * and triggers.
 */
export function checkScopedWrite(sql: string, { tokens, programs }: PlannedText, { schema, scope }: ScopedWrite): void {
  const command = readCommand(sql);
  const isAlter = command === 'ALTER TABLE' && !tokens.some(({ word }) => word === 'RENAME');
  const isDefinition = definitions.has(command) || isAlter;
  if (!isDefinition && !changes.has(command)) throw refuseWrite(`${command} is not followed`, scope);
  if (tokens.some(({ word }, at) => word === 'VIRTUAL' && at < 4)) throw refuseWrite('virtual tables are not followed', scope);
  refuseOutside(tokens, schema, scope);
  if (isDefinition) refuseDefined(tokens, { schema, scope });
  for (const { op, p2, p3, p5 } of programs.flat()) {
    if (op === 'OpenRead' || op === 'OpenWrite')
      refuseRoot({ root: p2, place: p3, isNew: (p5 & rootInRegister) !== 0 }, schema, scope);
    if (op === 'VOpen' || op === 'VUpdate') refuseVirtual(tokens, { schema, scope });
  }
}

const rootInRegister = 0x10;

interface ScopedWrite {
  schema: Schema;
  scope: Scope;
}

function refuseWrite(why: string, { text }: Scope) {
  return outOfScope(`${why} where the connection has a scope, which is ${text}; nothing was run`);
}

function refuseDefined(tokens: readonly Token[], { schema, scope }: ScopedWrite): void {
  for (const { schema: place, name, at } of findDefined(tokens))
    if (!allowsTable(schema, scope, { schema: place, name })) throw scope.refuse(name, at + 1);
  const names = listNames(tokens);
  const index = schema.objects.find(({ type, name }) => type === 'index' && names.has(toKey(name)));
  if (index !== undefined && !allowsTable(schema, scope, { name: index.table })) throw scope.refuse(index.name);
}

interface OpenedRoot {
  root: number;
  place: number;
  isNew: boolean;
}

const ownRoot = 1;

function refuseRoot({ root, place, isNew }: OpenedRoot, schema: Schema, scope: Scope): void {
  if (isNew || place !== 0 || root === ownRoot) return;
  const object = schema.objects.find((one) => one.root === root);
  // The statement itself cannot name the tables of SQLite, which counts keys and forgets statistics there.
  const isOwn = object?.type === 'table' && /^sqlite_/i.test(object.name);
  if (object !== undefined && (isOwn || allowsTable(schema, scope, { name: object.table }))) return;
  throw refuseWrite('the statement leads to a table outside, by a view, a foreign key or a trigger, which is refused', scope);
}

/** A program does not tell which virtual table it opens, so all count whose names a trigger or a view could lead to. */
function refuseVirtual(tokens: readonly Token[], { schema, scope }: ScopedWrite): void {
  const texts = schema.objects
    .filter(({ type }) => type === 'trigger' || type === 'view')
    .flatMap(({ sql }) => [...tokenize(sql)]);
  const names = listNames([...tokens, ...texts]);
  const outside = schema.objects.find(
    ({ type, root, name }) => type === 'table' && root === 0 && names.has(toKey(name)) && !allowsTable(schema, scope, { name }),
  );
  if (outside !== undefined) throw refuseWrite('the statement may lead to a virtual table outside, which is refused', scope);
}
