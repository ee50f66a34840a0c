import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { refuseColumn } from '../../../../policy/column-policy.ts';
import { isName, matchBrackets, type Token } from '../../../../statement/tokens.ts';
import { DependencyTexts } from '../catalog/dependency-texts.ts';
import { type ObjectName, type Routine, readRoutines, readRoutineText, type ServerFacts } from '../catalog/guard-queries.ts';
import { isSystemObject, listCandidates } from '../catalog/origins.ts';
import { checkRoutine } from '../catalog/routine.ts';
import { inTurns } from '../in-turns.ts';
import { type CallUse, foldName } from '../judge-call.ts';
import { findCalls, findTables, type TableUse } from '../text/find-uses.ts';
import { tokenize } from '../text/lexer.ts';
import { parseMode, plainMode } from '../text/sql-mode.ts';
import type { ColumnCatalog, RuledRelation } from './column-catalog.ts';
import { isUntraceable, openText, type SourceText } from './trace/source-text.ts';

/** The tables and functions that a text names. */
export interface NamedObjects {
  readonly tables: readonly Pick<TableUse, 'schema' | 'name'>[];
  readonly calls: readonly CallUse[];
}

/** The objects that a text names, with the database of names without one. */
export interface Place extends NamedObjects {
  readonly schema: string | undefined;
  /** Names of its WITH queries, which are among the tables. */
  readonly queries: ReadonlySet<string>;
  /** All names in the text of an owner, who may read columns that the account may not see. */
  readonly names: ReadonlySet<string>;
}

export interface ReachedView {
  readonly relation: RuledRelation;
  /** Undefined where the definition is hidden or cannot be read. */
  readonly opened: { readonly text: SourceText; readonly place: Place } | undefined;
}

/** A stored function, as far as the account may see it. */
interface ReachedRoutine {
  /** Undefined where the body is hidden or cannot be read. */
  readonly place: Place | undefined;
  /** It keeps values beyond its call, in variables of the session or in temporary tables. */
  readonly keepsValues: boolean;
}

export interface Question {
  server: ServerFacts;
  run: CatalogQuestion;
  /** What the guard has just read of all that the statement leads to. */
  texts?: DependencyTexts | undefined;
}

const maxRounds = 30;
const maxTextLength = 999_000;
/** Words in the body of a function that keep values beyond its call. */
const keepingWords: ReadonlySet<string> = new Set([
  'TEMPORARY',
  'PREPARE',
  'EXECUTE',
  'INSERT',
  'UPDATE',
  'REPLACE',
  'LOAD',
  'DIAGNOSTICS',
]);

/** Reads the tables, views and functions that a statement leads to. */
export class ReachedObjects {
  readonly #catalog: ColumnCatalog;
  readonly #question: Question;
  readonly folds: boolean;
  readonly #relations = new Map<string, RuledRelation | undefined>();
  readonly #views = new Map<string, ReachedView>();
  readonly #routines = new Map<string, readonly ReachedRoutine[]>();

  private constructor(catalog: ColumnCatalog, question: Question, folds: boolean) {
    this.#catalog = catalog;
    this.#question = question;
    this.folds = folds;
  }

  static async read(catalog: ColumnCatalog, place: Place, question: Question): Promise<ReachedObjects> {
    const reached = new ReachedObjects(catalog, question, await catalog.foldsTables(question.run));
    let next: readonly Place[] = [place];
    for (let round = 0; next.length > 0; round += 1) {
      if (round >= maxRounds) throw refuseColumn('the views and functions of the statement are nested too deeply to trace');
      next = [...(await reached.#readTables(next)), ...(await reached.#readRoutines(next))];
    }
    return reached;
  }

  /** Undefined for a table that the account may not see, or that does not exist. */
  findRelation(name: ObjectName): RuledRelation | undefined {
    return this.#relations.get(this.#toKey(name));
  }

  findView(name: ObjectName): ReachedView | undefined {
    return this.#views.get(this.#toKey(name));
  }

  findRoutines(path: readonly string[], schema: string | undefined): readonly ReachedRoutine[] {
    return this.#routines.get(toCallKey(path, schema)) ?? [];
  }

  get hasViews(): boolean {
    return this.#views.size > 0;
  }

  /** A column of a table must not even be named. */
  get hasRefused(): boolean {
    return [...this.#relations.values()].some((relation) => relation?.columns.some(({ taint }) => taint?.action === 'refuse'));
  }

  get routines(): readonly ReachedRoutine[] {
    return [...this.#routines.values()].flat();
  }

  #toKey({ schema, name }: ObjectName): string {
    const isSystem = /^(?:information_schema|performance_schema)$/i.test(schema);
    return this.folds || isSystem ? JSON.stringify([schema.toLowerCase(), name.toLowerCase()]) : JSON.stringify([schema, name]);
  }

  async #readTables(places: readonly Place[]): Promise<Place[]> {
    const wanted = new Map<string, ObjectName>();
    const views: RuledRelation[] = [];
    for (const { tables, schema: own } of places) {
      for (const { schema = own, name } of tables) {
        if (schema === undefined || this.#relations.has(this.#toKey({ schema, name }))) continue;
        const known = this.#findKnown({ schema, name });
        this.#relations.set(this.#toKey({ schema, name }), known);
        if (known === undefined) wanted.set(this.#toKey({ schema, name }), { schema, name });
        else if (known.isView) views.push(known);
      }
    }
    const { server, run } = this.#question;
    const found = wanted.size === 0 ? [] : await this.#catalog.read([...wanted.values()], server, run);
    for (const relation of found) this.#relations.set(this.#toKey(relation), relation);
    views.push(...found.filter(({ isView }) => isView));
    return (await Promise.all(views.map((view) => this.#openView(view)))).flat();
  }

  /** Whether the rules protect a column of the table that the text names, also one that the account may not see. */
  namesProtected(table: ObjectName, { names }: Place): boolean {
    return [...names].some((name) => this.#catalog.judge(table, name) !== undefined);
  }

  #findKnown(name: ObjectName): RuledRelation | undefined {
    return this.#catalog.known(name) ?? this.#catalog.knownView(name, this.#question.texts?.findView(name));
  }

  async #openView(relation: RuledRelation): Promise<Place[]> {
    const { schema, definition } = relation;
    const opened = definition === '' || definition.length >= maxTextLength ? undefined : await readView(definition, schema);
    this.#views.set(this.#toKey(relation), { relation, opened });
    return opened === undefined ? [] : [opened.place];
  }

  async #readRoutines(places: readonly Place[]): Promise<Place[]> {
    const { server, run } = this.#question;
    const wanted = new Map<string, ObjectName[]>();
    for (const { calls, schema } of places) {
      for (const call of calls) {
        const key = toCallKey([...call.path, call.name], schema);
        if (this.#routines.has(key) || wanted.has(key)) continue;
        wanted.set(key, listCandidates({ ...call, origin: { at: 0, via: '', schema: call.schema ?? schema } }, server.maria));
      }
    }
    const texts = wanted.size === 0 ? undefined : (this.#question.texts ?? (await readTexts([...wanted.values()].flat(), run)));
    const next: Place[] = [];
    for (const [key, candidates] of wanted) {
      const read = await Promise.all((texts?.findRoutines(candidates) ?? []).map(openRoutine));
      this.#routines.set(key, read);
      next.push(...read.flatMap(({ place }) => place ?? []));
    }
    return next;
  }
}

function toCallKey(path: readonly string[], schema: string | undefined): string {
  return JSON.stringify([schema, ...path.map(foldName)]);
}

async function readView(definition: string, schema: string): Promise<ReachedView['opened']> {
  try {
    const tokens = await inTurns(tokenize(definition, plainMode));
    const calls = await inTurns(findCalls(tokens, plainMode, definition));
    const tables = await inTurns(findTables(tokens));
    return {
      text: openText(tokens, { ignoreSpace: false, schema, isOwn: false }),
      place: { tables, calls, schema, queries: listQueries(tokens), names: listNames(tokens) },
    };
  } catch (error) {
    if (isUntraceable(error)) return undefined;
    throw error;
  }
}

async function readTexts(names: readonly ObjectName[], run: CatalogQuestion): Promise<DependencyTexts> {
  const texts = new DependencyTexts();
  const found = await readRoutines(names, run);
  const read = await Promise.all(found.map(async (one) => (one.isSql ? await readRoutineText(one, run) : '')));
  for (const [i, routine] of found.entries()) texts.addRoutine(routine, read[i] ?? '');
  return texts;
}

async function openRoutine({ routine, text }: { routine: Routine; text: string }): Promise<ReachedRoutine> {
  if (text === '' || text.length >= maxTextLength) return { place: undefined, keepsValues: !isSystemObject(routine) };
  try {
    const { tables, calls } = await inTurns(checkRoutine(text, routine));
    const tokens = await inTurns(tokenize(text, parseMode(routine.sqlMode)));
    // The name of the routine, with its definer, comes before the first parenthesis.
    const body = tokens.slice(tokens.findIndex(({ word }) => word === '('));
    const keepsValues =
      !isSystemObject(routine) &&
      body.some(
        ({ kind, word, name }, i) =>
          (kind === 'variable' && !name.startsWith('@@')) ||
          word === '@' ||
          (keepingWords.has(word) && body[i + 1]?.word !== '('),
      );
    const place = { tables, calls, schema: routine.schema, queries: listQueries(tokens), names: listNames(tokens) };
    return { place, keepsValues };
  } catch (error) {
    if (isUntraceable(error)) return { place: undefined, keepsValues: true };
    throw error;
  }
}

function listNames(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.filter(isName).map(({ name }) => name));
}

/** Finds the names of all WITH queries, as in `name AS (` and `name (columns) AS (`. */
export function listQueries(tokens: readonly Token[]): ReadonlySet<string> {
  const closing = matchBrackets(tokens);
  const isQuery = (token: Token, index: number) => {
    const as = tokens[index + 1]?.word === '(' ? closing(index + 1) + 1 : index + 1;
    return isName(token) && tokens[as]?.word === 'AS' && tokens[as + 1]?.word === '(';
  };
  return new Set(tokens.filter(isQuery).map(({ name }) => name.toLowerCase()));
}
