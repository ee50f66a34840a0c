import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { outOfScope, type Scope } from '../../../../policy/scope.ts';
import { isName, noToken, type Token } from '../../../../statement/tokens.ts';
import { isMisread, isMisreadRoutine, mayHideEscape } from '../catalog/charsets.ts';
import {
  type ObjectName,
  type Relation,
  type Routine,
  readExpressions,
  readRelations,
  readRoutines,
  readRoutineText,
  readViews,
  type ServerFacts,
} from '../catalog/guard-queries.ts';
import { type KnownObjects, toFoldedKey } from '../catalog/known-objects.ts';
import { calledAs, isNative, listCandidates } from '../catalog/origins.ts';
import { checkRoutine, isPackage } from '../catalog/routine.ts';
import { readWriteKind } from '../columns/write-kind.ts';
import { inTurns } from '../in-turns.ts';
import type { CallUse } from '../judge-call.ts';
import { callsOfColumn } from '../text/expressions.ts';
import { findCalls, findTables, type TableUse } from '../text/find-uses.ts';
import { tokenize } from '../text/lexer.ts';
import { parseMode, plainMode } from '../text/sql-mode.ts';
import { checkDefinition } from '../text/statement.ts';
import { listKeys } from './foreign-keys.ts';
import { readDefinition } from './read-definition.ts';
import { type Change, type ChangedTable, listChanges } from './row-changes.ts';
import { openParts, readTriggerText, type TableTrigger } from './table-parts.ts';
import type { TriggerRights } from './trigger-rights.ts';

export interface WritePlace {
  readonly scope: Scope;
  readonly known: KnownObjects;
  readonly rights: TriggerRights;
  readonly server: ServerFacts;
  readonly run: CatalogQuestion;
}

/** A table that the write reaches. */
interface ReachedTable extends TableUse {
  /** The changes of its rows; empty: it is only read. */
  readonly changes: readonly Change[];
  /** What leads to it; undefined for the statement. */
  readonly where: string | undefined;
}

interface ReachedCall extends CallUse {
  readonly where: string | undefined;
}

/** A write that leads to more is not followed. */
const maxObjects = 500;
const maxTextLength = 999_000;

/**
 * Throws for a write that is not known to stay inside. Views, triggers, foreign keys and routines are followed, also behind what is
 * inside: unlike a read, a write can leave something there.
 */
export async function checkScopedWrite(sql: string, place: WritePlace): Promise<void> {
  const walk = new WriteWalk(place);
  const mode = parseMode(place.server.sqlMode);
  const all = await readTokens(() => inTurns(tokenize(sql, mode)), place.scope);
  const tokens = all.at(-1)?.word === ';' ? all.slice(0, -1) : all;
  const kind = readWriteKind(tokens);
  const definition = kind === 'rows' ? undefined : readDefinition(tokens);
  if (kind !== 'rows' && definition === undefined) throw refuseKind(tokens, place.scope);
  refuseWords(tokens, place.scope);
  const query = definition === undefined ? 0 : definition.query;
  // No definition but a query can call stored functions.
  const part = query === undefined ? [] : tokens.slice(query);
  const calls = await readTokens(() => inTurns(findCalls(part, mode, sql, refuseDenied(place.scope))), place.scope);
  const tables = [...(await inTurns(findTables(part))), ...(definition?.tables ?? [])];
  const changes = definition === undefined ? await readTokens(async () => listChanges(tokens), place.scope) : [];
  walk.add(tables, changes, { schema: place.server.database, where: undefined });
  walk.addCalls(calls, place.server.database, undefined);
  await walk.checkTaken(definition?.taken ?? []);
  await walk.run();
}

async function readTokens<T>(read: () => Promise<T>, scope: Scope): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'refused' || error.code === 'E_OUT_OF_SCOPE') throw error;
    throw outOfScope(
      `the statement is not followed, because ${error.message}, so it could leave the scope of this connection, which is ${scope.text}`,
    );
  }
}

function refuseKind(tokens: readonly Token[], { text }: Scope): Failure {
  const words = tokens
    .slice(0, 2)
    .map(({ word }) => word)
    .join(' ')
    .trim();
  return outOfScope(
    `${words || 'the statement'} is not followed, so it could leave the scope of this connection, which is ${text}`,
  );
}

const files: ReadonlySet<string> = new Set(['OUTFILE', 'DUMPFILE', 'PROCEDURE']);

function refuseWords(tokens: readonly Token[], { text }: Scope): void {
  const isSequence = (at: number) => tokens[at]?.word === 'VALUE' && tokens[at + 1]?.word === 'FOR';
  const found = tokens.find(({ kind, word }, at) => kind === 'word' && (files.has(word) || isSequence(at)));
  if (found === undefined) return;
  throw outOfScope(`${found.word} can leave the scope of this connection, which is ${text}`, found.start + 1);
}

/** Functions that a read must not call, and that lead to nothing but locks and time. */
const harmless =
  /^(?:get_lock|release_lock|release_all_locks|sleep|benchmark|extractvalue|updatexml|uuid_short|encrypt|kdf|sformat|json_schema_valid\w*|last_insert_id)$/i;

function refuseDenied({ text }: Scope) {
  return (_: Failure, name: string) => {
    if (!harmless.test(name)) throw outOfScope(`${name}() can leave the scope of this connection, which is ${text}`);
  };
}

interface Context {
  /** The database of names without one. */
  readonly schema: string | undefined;
  readonly where: string | undefined;
}

class WriteWalk {
  readonly #place: WritePlace;
  readonly #seen = new Set<string>();
  #tables: ReachedTable[] = [];
  #calls: ReachedCall[] = [];

  constructor(place: WritePlace) {
    this.#place = place;
  }

  /** Tables that a text names, and what it changes. */
  add(tables: readonly TableUse[], changes: readonly ChangedTable[], { schema, where }: Context): void {
    const toTable = (use: TableUse, list: readonly Change[]) => ({ ...use, schema: use.schema ?? schema, changes: list, where });
    for (const table of tables) this.#tables.push(toTable(table, []));
    for (const { change, ...table } of changes) this.#tables.push(toTable(table, change === undefined ? [] : [change]));
  }

  addCalls(calls: readonly CallUse[], schema: string | undefined, where: string | undefined): void {
    for (const call of calls) this.#calls.push({ ...call, schema: call.schema ?? schema, where });
  }

  async run(): Promise<void> {
    while (this.#tables.length + this.#calls.length > 0) {
      await this.#followTables(this.#tables.splice(0));
      await this.#followCalls(this.#calls.splice(0));
    }
  }

  /** The refusal of the server names the tables that refer to one that goes. */
  async checkTaken(tables: readonly TableUse[]): Promise<void> {
    const { scope, server, run } = this.#place;
    for (const { schema = server.database, name, at } of tables) {
      if (schema === undefined || !scope.allows(schema, name))
        throw scope.refuse(schema === undefined ? name : `${schema}.${name}`, at + 1);
      const { incoming } = await openParts(run, { schema, name }, server.maria);
      if (!incoming.every(({ other }) => scope.allows(other.schema, other.name)))
        throw outOfScope(
          `something that depends on it is outside of the scope of this connection, which is ${scope.text}`,
          at + 1,
        );
    }
  }

  async #followTables(tables: readonly ReachedTable[]): Promise<void> {
    const { run } = this.#place;
    const fresh = tables.filter(({ schema, name, changes }) => this.#isNew(['table', schema, name, changes]));
    for (const table of fresh) this.#checkName(table);
    const names = fresh.map(({ schema = '', name }) => ({ schema, name }));
    const found = new Map<string, Relation>();
    for (const one of names.length === 0 ? [] : await readRelations(names, () => false, run)) found.set(toFoldedKey(one), one);
    for (const table of fresh) {
      const relation = found.get(toFoldedKey({ schema: table.schema ?? '', name: table.name }));
      if (relation !== undefined) await this.#followTable(table, relation);
      // The account cannot write to what it does not see, but what the statement runs may.
      else if (table.where !== undefined) throw this.#refuse(table.where, `the account may not see ${table.name}`);
    }
  }

  #checkName({ schema, name, at, where }: ReachedTable): void {
    const { scope } = this.#place;
    if (schema !== undefined && scope.allows(schema, name)) return;
    if (where !== undefined) throw this.#refuse(where);
    throw scope.refuse(schema === undefined ? name : `${schema}.${name}`, at + 1);
  }

  async #followTable({ changes, where }: ReachedTable, relation: Relation): Promise<void> {
    const { schema, name, isView, engine } = relation;
    const own = `${schema}.${name}`;
    if (!this.#place.scope.allows(schema, name)) throw this.#refuse(where ?? own);
    if (isView) return await this.#followView(relation, own, changes);
    if (/^(?:merge|mrg_myisam|federated|federatedx|connect|spider|s3)$/i.test(engine))
      throw this.#refuse(own, `its engine is ${engine}`);
    for (const { expression } of await readExpressions([relation], this.#place.run))
      this.addCalls(await inTurns(callsOfColumn(expression)), schema, `a column of ${own}`);
    if (changes.length > 0) await this.#followChanges(relation, own, changes);
  }

  async #followView({ schema, name }: Relation, own: string, changes: readonly Change[]): Promise<void> {
    const [view] = await readViews([{ schema, name }], this.#place.run);
    const { definition = '', charset = '' } = view ?? {};
    const isHidden = definition === '' || definition.length >= maxTextLength;
    if (isHidden) throw this.#refuse(own, 'the account may not see its definition');
    if (isMisread(charset) || mayHideEscape({ definition, charset })) throw this.#refuse(own, `it was created in ${charset}`);
    const { tables, calls } = await this.#within(own, () => inTurns(checkDefinition(definition, plainMode)));
    const where = `the view ${own}`;
    const below = await listBelow(definition, changes);
    for (const table of tables) this.#tables.push({ ...table, schema: table.schema ?? schema, changes: below, where });
    for (const table of tables) this.#tables.push({ ...table, schema: table.schema ?? schema, changes: [], where });
    this.addCalls(calls, schema, where);
  }

  async #followChanges(table: ObjectName, own: string, changes: readonly Change[]): Promise<void> {
    const { rights, run, server } = this.#place;
    if (!(await rights.areSeen(table, run)))
      throw this.#refuse(own, `the account may not see its triggers without the privilege TRIGGER on ${own}`);
    const parts = await openParts(run, table, server.maria);
    for (const change of changes) {
      for (const { key, change: next } of listKeys(parts, change))
        this.#tables.push({ ...key.other, at: 0, changes: next === undefined ? [] : [next], where: `${key.label} of ${own}` });
      for (const trigger of parts.triggers) if (change.verbs.includes(trigger.verb)) await this.#followTrigger(trigger, own);
    }
  }

  async #followTrigger({ name }: TableTrigger, own: string): Promise<void> {
    if (!this.#isNew(['trigger', name.schema, name.name])) return;
    const where = `the trigger ${name.name} of ${own}`;
    const { text, sqlMode, charset } = await readTriggerText(name, this.#place.run);
    await this.#followBody({ text, sqlMode, charset, comment: '' }, { schema: name.schema, where });
  }

  async #followBody(body: Pick<Routine, 'sqlMode' | 'charset' | 'comment'> & { text: string }, context: Context): Promise<void> {
    const { text, sqlMode, charset } = body;
    const where = context.where ?? '';
    if (text === '' || text.length >= maxTextLength) throw this.#refuse(where, 'the account may not see its body');
    if (isMisreadRoutine(charset, text, this.#place.server.maria)) throw this.#refuse(where, `it was created in ${charset}`);
    const { tables, calls } = await this.#within(where, () => inTurns(checkRoutine(text, body)));
    const tokens = await this.#within(where, () => inTurns(tokenize(text, parseMode(sqlMode))));
    const word = tokens.slice(1).find((token, i) => token.kind === 'word' && isRunning(token.word, tokens[i]?.word));
    if (word !== undefined) throw this.#refuse(where, `it has ${word.word}`);
    this.add(tables, await this.#within(where, async () => listChanges(tokens)), context);
    this.addCalls(calls, context.schema, context.where);
  }

  async #within<T>(where: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
      throw this.#refuse(where, error.message);
    }
  }

  async #followCalls(calls: readonly ReachedCall[]): Promise<void> {
    const { server, run } = this.#place;
    const asked: ReachedCall[] = [];
    for (const use of calls) {
      if (!this.#isNew(['call', use.schema, use.own, ...use.path, calledAs(use)]) || (await this.#isBuiltIn(use))) continue;
      asked.push(use);
    }
    const candidates = asked.map((use) => {
      const origin = { at: use.at, via: '', schema: use.schema };
      return { use, names: listCandidates({ ...use, origin }, server.maria) };
    });
    const names = candidates.flatMap((one) => one.names);
    const routines = names.length === 0 ? [] : await readRoutines(names, run);
    for (const { use, names: own } of candidates) {
      const keys = new Set(own.map(toFoldedKey));
      const found = routines.filter((routine) => keys.has(toFoldedKey(routine)));
      if (await this.#isAdded(use, found.length > 0))
        throw this.#refuse(`${use.name}()`, 'it is no stored function that the account may see');
      for (const routine of found) await this.#followRoutine(routine);
    }
  }

  async #isBuiltIn(use: ReachedCall): Promise<boolean> {
    const { known, server, run } = this.#place;
    return isNative(use, server) && (await known.isBuiltIn(calledAs(use), run));
  }

  /** The server prefers a function that was loaded into it. */
  async #isAdded({ own, path, name, builtIn }: ReachedCall, isFound: boolean): Promise<boolean> {
    const { known, run } = this.#place;
    if (!isFound && own !== true) return !builtIn;
    return path.length === 0 && (await known.isAdded(name, run));
  }

  async #followRoutine(routine: Routine): Promise<void> {
    const { schema, name, isSql } = routine;
    if (!this.#isNew(['routine', schema, name, routine.type])) return;
    const where = `${routine.type.toLowerCase()} ${schema}.${name}()`;
    if (isPackage(routine) || !isSql) throw this.#refuse(where, 'it is not in SQL');
    await this.#followBody({ ...routine, text: await readRoutineText(routine, this.#place.run) }, { schema, where });
  }

  #isNew(parts: readonly unknown[]): boolean {
    const key = JSON.stringify(parts);
    if (this.#seen.has(key)) return false;
    if (this.#seen.size >= maxObjects) throw this.#refuse('the write', 'it reaches too many objects');
    this.#seen.add(key);
    return true;
  }

  #refuse(where: string, why?: string): Failure {
    const outside =
      why === undefined ? `${where} leads outside of` : `${where} cannot be followed, because ${why}, so the write could leave`;
    return outOfScope(`${outside} the scope of this connection, which is ${this.#place.scope.text}`);
  }
}

const running: ReadonlySet<string> = new Set(['PREPARE', 'EXECUTE', 'HANDLER', 'TRUNCATE', 'OUTFILE', 'DUMPFILE', 'TEMPORARY']);

/** Whether the word begins what is not followed. `CONTINUE HANDLER` is a part of a body. */
function isRunning(word: string, before = ''): boolean {
  return running.has(word) && !(word === 'HANDLER' && /^(?:CONTINUE|EXIT|UNDO)$/.test(before)) && before !== '.';
}

/** What a change of a view changes: the columns that its own are, if all are known. */
async function listBelow(definition: string, changes: readonly Change[]): Promise<readonly Change[]> {
  const sources = readSources(await inTurns(tokenize(definition, plainMode)));
  return changes.map((change) => {
    const columns = change.columns?.map((column) => sources.get(column));
    return { ...change, columns: columns?.every((column) => column !== undefined) === true ? columns : undefined };
  });
}

/** Columns that are shown as they are, in the form of the server: select `d`.`t`.`a` AS `b`, … */
function readSources(tokens: readonly Token[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const [at, { word }] of tokens.entries()) {
    const [before = noToken, name = noToken, after = noToken] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
    let first = at - 1;
    while (tokens[first - 1]?.word === '.') first -= 2;
    const isPlain = isName(before) && /^(?:SELECT|,)$/.test(tokens[first - 1]?.word ?? '');
    if (word === 'AS' && isPlain && isName(name) && /^(?:,|FROM)$/.test(after.word))
      sources.set(name.name.toLowerCase(), before.name.toLowerCase());
  }
  return sources;
}
