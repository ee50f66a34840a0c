import { mergeTaints, type Taint, unknownTaint } from '../../../../../policy/taint.ts';
import { isAscii } from '../../../../../statement/tokens.ts';
import { foldName } from '../../judge-call.ts';

/** A column of a table, a view or a subquery. */
export interface SourceColumn {
  /** Undefined for an expression whose name the server makes up. */
  readonly name: string | undefined;
  readonly taint: Taint | undefined;
  /** `*` leaves it out. */
  readonly isInvisible?: boolean;
}

/** What FROM names. */
export interface Source {
  /** The alias, or the name of the table. */
  readonly alias: string;
  /** The database of a table without an alias. */
  readonly schema?: string | undefined;
  /** Undefined where the columns are not known. */
  readonly columns: readonly SourceColumn[] | undefined;
  /** The taint of a column that is not listed, as the rules name it. */
  judge?(column: string): Taint | undefined;
}

/** The tables and names that an expression may refer to: those of its own query, and of the queries around it. */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly sources: Source[] = [];
  /** Columns of the select list that have names so far, to which its subqueries may refer. */
  readonly aliases: SourceColumn[] = [];
  readonly #queries = new Map<string, readonly SourceColumn[] | 'unread'>();

  constructor(parent?: Scope) {
    this.#parent = parent;
  }

  /** The same scope with the sources so far, as a LATERAL subquery sees it. */
  snapshot(): Scope {
    const copy = new Scope(this.#parent);
    copy.sources.push(...this.sources);
    for (const [name, columns] of this.#queries) copy.#queries.set(name, columns);
    return copy;
  }

  /** A WITH query; `unread` where its columns are not known yet. */
  addQuery(name: string, columns: readonly SourceColumn[] | 'unread'): void {
    this.#queries.set(name, columns);
  }

  findQuery(name: string, isSame: (one: string, other: string) => boolean): readonly SourceColumn[] | 'unread' | undefined {
    for (const [found, columns] of this.#queries) if (isSame(found, name)) return columns;
    return this.#parent?.findQuery(name, isSame);
  }

  /** The source before `.*`. */
  called(table: string, schema: string | undefined): Source | undefined {
    const found = this.sources.filter((source) => isCalled(source, table, schema));
    return found.find(({ alias }) => alias === table) ?? found[0] ?? this.#parent?.called(table, schema);
  }

  /** The taint of what the words refer to: `column`, `table.column` or `database.table.column`. */
  find(path: readonly string[], isNested = false): Taint | undefined {
    const [column = '', table, schema] = path.toReversed();
    const name = foldName(column);
    const sources = table === undefined ? this.sources : this.sources.filter((source) => isCalled(source, table, schema));
    const hits: (Taint | undefined)[] = [];
    const guesses: (Taint | undefined)[] = [];
    for (const source of sources) {
      const found = findColumn(source, name, column);
      (found.isHit ? hits : guesses).push(found.taint);
    }
    if (isNested && table === undefined)
      hits.push(...this.aliases.filter((alias) => isNamed(alias, name)).map(({ taint }) => taint));
    if (hits.length > 0) return mergeTaints(...hits);
    if (this.#parent !== undefined) return mergeTaints(...guesses, this.#parent.find(path, true));
    // A qualifier names a table, so one that is not known here hides a source.
    return mergeTaints(...guesses, table === undefined ? undefined : unknownTaint);
  }
}

function findColumn({ columns, judge }: Source, name: string, written: string): { isHit: boolean; taint: Taint | undefined } {
  const listed = columns?.filter((column) => isNamed(column, name)) ?? [];
  if (listed.length > 0) return { isHit: true, taint: mergeTaints(...listed.map(({ taint }) => taint)) };
  const judged = judge?.(written);
  if (judged !== undefined) return { isHit: true, taint: judged };
  if (columns === undefined) return { isHit: false, taint: unknownTaint };
  return { isHit: false, taint: mergeTaints(...columns.filter(isUnsure).map(({ taint }) => taint)) };
}

/** Whether the server may take another name for that of the column. */
function isUnsure({ name }: SourceColumn): boolean {
  return name === undefined || !isAscii(name);
}

function isNamed({ name }: SourceColumn, folded: string): boolean {
  return name !== undefined && foldName(name) === folded;
}

function isCalled({ alias, schema: own }: Source, table: string, schema?: string): boolean {
  if (foldName(alias) !== foldName(table)) return false;
  return schema === undefined || own === undefined || foldName(own) === foldName(schema);
}
