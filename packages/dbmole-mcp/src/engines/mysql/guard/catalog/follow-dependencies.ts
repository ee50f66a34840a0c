import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { useExecute } from '../../../../next-steps.ts';
import type { Scope } from '../../../../policy/scope.ts';
import { giveWay, inTurns } from '../in-turns.ts';
import { type CallUse, refuseAddedCall, refuseUnknownCall, sayUnknown } from '../judge-call.ts';
import { notARead, tooComplex } from '../refuse.ts';
import { refuseFunction, refuseOutside } from '../scope.ts';
import { callsOfColumn } from '../text/expressions.ts';
import { refuseMany, type TableUse, type Uses } from '../text/find-uses.ts';
import { plainMode } from '../text/sql-mode.ts';
import { checkDefinition } from '../text/statement.ts';
import { hasForeignText, hidesEscape, isMisread, isMisreadRoutine, isPlainText, mayHideEscape, misread } from './charsets.ts';
import type { DependencyTexts } from './dependency-texts.ts';
import {
  type ObjectName,
  type Relation,
  type Routine,
  readExpressions,
  readRelations,
  readRoutines,
  readRoutineText,
  readTableOptions,
  readViewBytes,
  readViews,
  readViewText,
  type ServerFacts,
  type View,
} from './guard-queries.ts';
import {
  isSystemSchema,
  type KnownObjects,
  refuseOptions,
  refuseReset,
  resetsCounters,
  toFoldedKey,
  toKey,
} from './known-objects.ts';
import {
  calledAs,
  type Frontier,
  findStart,
  isNative,
  isSystemObject,
  join,
  listCandidates,
  type Origin,
  Origins,
  type Reached,
  within,
} from './origins.ts';
import { checkRoutine, isPackage } from './routine.ts';

export interface Catalog {
  /** What the statement must not leave. */
  scope?: Scope | undefined;
  known: KnownObjects;
  server: ServerFacts;
  run: CatalogQuestion;
  /** Gets the texts of the views and functions that are read. */
  texts?: DependencyTexts | undefined;
}

/** The deepest nesting of views and functions. */
const maxRounds = 30;
const maxNames = 1_000;
/** A catalog question returns this much of a cell; a longer text may be truncated. */
const maxTextLength = 999_000;

/**
 * Checks the views and stored functions that a statement names, and what these lead to, as far as the account may see them. The
 * refusal names the path to the object that is not a read.
 */
export async function followDependencies(uses: Uses, catalog: Catalog): Promise<void> {
  const walk = new Walk(catalog, uses.defaults);
  let frontier = findStart(uses, catalog.server.database);
  for (let round = 0; round < maxRounds; round += 1) {
    frontier = await walk.step(frontier);
    if (frontier.tables.length === 0 && frontier.calls.length === 0) return;
  }
  throw tooComplex('its views and functions are nested too deeply to check');
}

/** A name in the place of a table. */
interface NamedTable extends ObjectName {
  origin: Origin;
  qualified: boolean;
}

/** The search of one statement through the catalog. */
class Walk {
  readonly #known: KnownObjects;
  readonly #server: ServerFacts;
  readonly #run: CatalogQuestion;
  readonly #scope: Scope | undefined;
  readonly #texts: DependencyTexts | undefined;
  readonly #seen = new Set<string>();
  #reached = 0;
  /** Some text on the path evaluates defaults of columns, perhaps of tables that follow. */
  #defaults: boolean;

  constructor({ known, server, run, scope, texts }: Catalog, defaults: boolean) {
    this.#texts = texts;
    this.#scope = scope;
    this.#defaults = defaults && server.maria;
    this.#known = known;
    this.#server = server;
    this.#run = run;
  }

  /** Returns the next level. */
  async step({ tables, calls }: Frontier): Promise<Frontier> {
    const next: Frontier = { tables: [], calls: [] };
    if (this.#scope !== undefined) refuseOutside(tables, this.#scope);
    await this.#stepTables(tables, next);
    await this.#stepCalls(calls, next);
    return next;
  }

  async #stepTables(uses: readonly Reached<TableUse>[], next: Frontier): Promise<void> {
    const names = await this.#newTables(uses);
    if (names.size === 0) return;
    const asksColumns = (name: ObjectName) => this.#server.maria && !this.#known.is('view', name);
    const found = await readRelations([...names.values()], asksColumns, this.#run);
    const visible = new Set(found.map(toFoldedKey));
    for (const name of names.values()) if (!visible.has(toFoldedKey(name))) await this.#refuseHidden(name);
    const origins = new Origins(names.values());
    await this.#checkEngines(
      found.filter(({ engine }) => /^connect$/i.test(engine)),
      origins,
    );
    const calling = await this.#stepColumns(found, origins, next);
    for (const { schema, name, isView, engine } of found) {
      const one = { schema, name };
      // The columns were not read for a name that was a view a moment ago.
      const isSeen = !isView && !this.#known.is('view', one);
      if (isView) this.#known.remember('view', one);
      if (isSeen && !/^connect$/i.test(engine) && !calling.has(toKey(one))) this.#known.remember('table', one);
    }
    const views = found.filter(({ isView }) => isView);
    if (views.length > 0) await this.#stepViews(views, origins, next);
  }

  async #newTables(uses: readonly Reached<TableUse>[]): Promise<Map<string, NamedTable>> {
    const names = new Map<string, NamedTable>();
    for (const { schema: written, name, origin } of uses) {
      const schema = written ?? origin.schema;
      if (schema === undefined) continue;
      const found = { schema, name, origin, qualified: written !== undefined };
      if (resetsCounters(found)) await within(origin, '', () => refuseReset(name));
      if (isSystemSchema(schema) || (!this.#defaults && this.#known.is('table', found))) continue;
      if (this.#isNew(['table', schema, name, this.#defaults])) names.set(toKey(found), found);
    }
    return names;
  }

  /** Finds the tables with columns whose expression calls a function that the statement may run. */
  async #stepColumns(found: readonly Relation[], origins: Origins, next: Frontier): Promise<ReadonlySet<string>> {
    const calling = new Set<string>();
    const tables = found.filter(({ isView, isComputed }) => isComputed || (this.#defaults && !isView));
    if (tables.length === 0) return calling;
    for (const { expression, isDefault, ...name } of await readExpressions(tables, this.#run)) {
      if (isDefault && !this.#defaults) continue;
      await giveWay();
      const origin = origins.of(name);
      const what = `table ${name.schema}.${name.name}`;
      const calls = await within(origin, what, () => inTurns(callsOfColumn(uncut(expression))));
      if (calls.length > 0) calling.add(toKey(name));
      this.#reach(
        { tables: [], calls, defaults: false },
        { at: origin.at, via: join(origin.via, what), schema: name.schema, isInside: true },
        next,
      );
    }
    return calling;
  }

  async #stepViews(views: readonly ObjectName[], origins: Origins, next: Frontier): Promise<void> {
    const seen = new Map((await readViews(views, this.#run)).map((view) => [toKey(view), view] as const));
    for (const { schema, name } of views) {
      await giveWay();
      const view = seen.get(toKey({ schema, name })) ?? { schema, name, definition: '', definer: '', charset: '' };
      await this.#look(view, origins.of(view), next);
    }
  }

  async #checkEngines(tables: readonly ObjectName[], origins: Origins): Promise<void> {
    if (tables.length === 0) return;
    for (const { options, ...name } of await readTableOptions(tables, this.#run)) {
      await within(origins.of(name), `table ${name.schema}.${name.name}`, () => refuseOptions(options));
    }
  }

  async #look(view: View, origin: Origin, next: Frontier): Promise<void> {
    const what = `view ${view.schema}.${view.name}`;
    this.#texts?.addView(view);
    if (view.definition === '') return await this.#lookUnseen(view, what, origin);
    await this.#refuseMisread(view, join(origin.via, what), origin.at);
    const uses = await within(origin, what, () => inTurns(checkDefinition(uncut(view.definition), plainMode)));
    this.#reach(uses, { at: origin.at, via: join(origin.via, what), schema: view.schema, isInside: true }, next);
  }

  /** Refuses a view whose text runs otherwise than the server shows it. */
  async #refuseMisread(view: View, via: string, at: number): Promise<void> {
    if (isMisread(view.charset)) throw misread(via, view.charset, at);
    if (!mayHideEscape(view)) return;
    const shown = await readViewText(view, this.#run);
    if (isPlainText(shown)) return;
    if (hasForeignText(shown) || hidesEscape(view, await readViewBytes(view, this.#run))) throw misread(via, view.charset, at);
  }

  /**
   * Accepts a view without its definition, because most read-only accounts may not see definitions: an account with more rights created
   * the view for such readers. Refuses it where native functions are known to be on the server.
   */
  async #lookUnseen(view: View, what: string, origin: Origin): Promise<void> {
    if (isSystemObject(view) || !(await this.#known.hasNative(this.#server.maria, this.#run))) return;
    throw notARead({
      message: `${join(origin.via, what)} cannot be checked: the account may not see its definition, and the server has native functions`,
      hint: 'Ask an administrator to grant SHOW VIEW, or query the underlying tables.',
      at: origin.at,
    });
  }

  /** Refuses a table of a view that the account may not see. A name without a database may be that of a WITH. */
  async #refuseHidden({ schema, name, qualified, origin }: NamedTable): Promise<void> {
    if (origin.via === '' || !qualified || !(await this.#known.hasNative(this.#server.maria, this.#run))) return;
    throw notARead({
      message: `${origin.via} cannot be checked: the account may not see ${schema}.${name}, and the server has native functions`,
      hint: 'Ask an administrator to grant SELECT and SHOW VIEW on it, or query other tables.',
      at: origin.at,
    });
  }

  async #stepCalls(uses: readonly Reached<CallUse>[], next: Frontier): Promise<void> {
    const asked: Reached<CallUse>[] = [];
    for (const use of uses) {
      const isNew = this.#isNew(['call', use.origin.isInside, use.origin.schema, use.own, ...use.path, calledAs(use)]);
      if (!isNew || (await this.#isBuiltIn(use))) continue;
      if (use.own) await this.#refuseAdded(use);
      else asked.push(use);
    }
    if (asked.length === 0) return;
    const candidates = asked.map((use) => ({ use, names: listCandidates(use, this.#server.maria) }));
    const byName = await this.#readRoutines(candidates.flatMap(({ names }) => names));
    for (const { use, names } of candidates) {
      const keys = new Set(names.map(toFoldedKey));
      const found = [...keys].flatMap((key) => byName.get(key) ?? []);
      if (found.length === 0) this.#acceptAbsent(use, names);
      else await this.#refuseAdded(use);
      for (const routine of found) await this.#lookInside(routine, use.origin, next);
    }
  }

  async #readRoutines(names: readonly ObjectName[]): Promise<ReadonlyMap<string, readonly Routine[]>> {
    const byName = new Map<string, Routine[]>();
    for (const routine of await readRoutines(names, this.#run)) {
      const key = toFoldedKey(routine);
      byName.set(key, [...(byName.get(key) ?? []), routine]);
    }
    return byName;
  }

  async #isBuiltIn(use: CallUse): Promise<boolean> {
    return isNative(use, this.#server) && (await this.#known.isBuiltIn(calledAs(use), this.#run));
  }

  #acceptAbsent(use: Reached<CallUse>, names: readonly ObjectName[]): void {
    const isSplit = this.#server.maria && use.splitOnMaria;
    if (!use.builtIn || isSplit || isNative(use, this.#server)) this.#refuseUnknown(use);
    for (const name of names) this.#known.remember('no routine', name);
  }

  /** In a view, an unknown function mostly is a stored one that the account may not see. */
  #refuseUnknown(use: Reached<CallUse>): never {
    const { via, at } = use.origin;
    if (via === '') refuseUnknownCall(use);
    const hint = [`If it is a stored function, ask an administrator to grant ${this.#rightToSee}.`, useExecute];
    throw notARead({ message: `${via} is not a read: ${sayUnknown(use)}`, hint, at });
  }

  /** Refuses a name that a native function has. A name with a path is always that of a stored function. */
  async #refuseAdded(use: Reached<CallUse>): Promise<void> {
    if (use.path.length > 0 || !(await this.#known.isAdded(use.name, this.#run))) return;
    await within(use.origin, '', () => refuseAddedCall(use));
  }

  async #lookInside(routine: Routine, origin: Origin, next: Frontier): Promise<void> {
    const what = `${routine.type.toLowerCase()} ${routine.schema}.${routine.name}`;
    if (isPackage(routine)) throw this.#unseen(routine, join(origin.via, what), origin.at);
    const text = routine.isSql ? await readRoutineText(routine, this.#run) : '';
    this.#texts?.addRoutine(routine, text);
    if (isMisreadRoutine(routine.charset, text, this.#server.maria))
      throw misread(join(origin.via, what), routine.charset, origin.at);
    const isHidden = text === '' && isSystemObject(routine);
    if (isHidden && this.#scope !== undefined && !origin.isInside)
      throw refuseFunction(`${what} may read`, this.#scope, origin.at);
    if (isHidden) return;
    if (text === '') throw this.#unseen(routine, join(origin.via, what), origin.at);
    const uses = await within(origin, what, () => inTurns(checkRoutine(uncut(text), routine)));
    this.#reach(uses, { ...origin, via: join(origin.via, what), schema: routine.schema }, next);
  }

  get #rightToSee(): string {
    return this.#server.maria ? 'SELECT on mysql.proc' : 'SHOW_ROUTINE';
  }

  #unseen(routine: Routine, via: string, at: number) {
    const isHidden = routine.isSql && !isPackage(routine);
    const why = isPackage(routine) ? 'packages are not supported' : 'it is not in SQL';
    return notARead({
      message: `${via} cannot be checked: ${isHidden ? 'the account may not see its body' : why}`,
      hint: isHidden ? [`Ask an administrator to grant ${this.#rightToSee}.`, useExecute] : useExecute,
      at,
    });
  }

  #reach({ tables, calls, defaults }: Uses, origin: Origin, next: Frontier): void {
    this.#defaults ||= defaults && this.#server.maria;
    this.#reached += tables.length + calls.length;
    refuseMany(this.#reached);
    for (const table of tables) next.tables.push({ ...table, origin });
    for (const call of calls) next.calls.push({ ...call, origin });
  }

  #isNew(parts: readonly unknown[]): boolean {
    const key = JSON.stringify(parts);
    if (this.#seen.has(key)) return false;
    if (this.#seen.size >= maxNames) throw tooComplex(`more than ${maxNames} different tables and functions to check`);
    this.#seen.add(key);
    return true;
  }
}

function uncut(text: string): string {
  if (text.length < maxTextLength) return text;
  throw tooComplex('it is too long to be checked');
}
