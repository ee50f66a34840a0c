import { type ColumnRules, createColumnPolicy } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { deriveTaint, mergeTaints, type Taint } from '../../../../policy/taint.ts';
import type { ObjectName, ServerFacts } from '../catalog/guard-queries.ts';
import { toKey } from '../catalog/known-objects.ts';
import { foldName } from '../judge-call.ts';
import { type CatalogRelation, readColumnRelations, readFoldsTables } from './column-queries.ts';
import { mayHoldValues } from './system-columns.ts';
import type { SourceColumn } from './trace/name-scope.ts';

/** A table or view as the account may see it, with what the rules say of its columns. */
export interface RuledRelation extends ObjectName {
  isView: boolean;
  definition: string;
  columns: readonly SourceColumn[];
  /** The rules protect one of its columns. */
  isProtected: boolean;
}

/** How long a table counts as it was found. Views are read each time. */
const ageMs = 10_000;
const maxTables = 5_000;

type ColumnPolicy = NonNullable<ReturnType<typeof createColumnPolicy>>;

/** The tables of one server with the columns that the rules protect. */
export class ColumnCatalog {
  readonly #policy: ColumnPolicy;
  /** By name; undefined for what the account may not see. */
  readonly #tables = new Map<string, { relation: RuledRelation; until: number }>();
  /** Views as they were last read. */
  readonly #views = new Map<string, RuledRelation>();
  #folds: boolean | undefined;

  constructor(policy: ColumnPolicy) {
    this.#policy = policy;
  }

  get isStrict(): boolean {
    return this.#policy.strict;
  }

  /** Whether the server takes names of tables in any case for the same. */
  async foldsTables(run: CatalogQuestion): Promise<boolean> {
    this.#folds ??= await readFoldsTables(run);
    return this.#folds;
  }

  /** A table that was read a moment ago. */
  known(name: ObjectName): RuledRelation | undefined {
    const found = this.#tables.get(toKey(name));
    return found !== undefined && found.until > performance.now() ? found.relation : undefined;
  }

  /** A view that still has the definition with which it was read. */
  knownView(name: ObjectName, definition: string | undefined): RuledRelation | undefined {
    const found = this.#views.get(toKey(name));
    return found !== undefined && definition !== undefined && found.definition === definition ? found : undefined;
  }

  async read(names: readonly ObjectName[], { maria }: ServerFacts, run: CatalogQuestion): Promise<RuledRelation[]> {
    const found = (await readColumnRelations(names, maria, run)).map((relation) => this.#rule(relation));
    if (this.#tables.size + this.#views.size > maxTables) this.forget();
    const until = performance.now() + ageMs;
    for (const relation of found) {
      if (relation.isView) this.#views.set(toKey(relation), relation);
      else this.#tables.set(toKey(relation), { relation, until });
    }
    return found;
  }

  /** The taint of a column by its name alone. */
  judge({ schema, name }: ObjectName, column: string): Taint | undefined {
    if (mayHoldValues(schema, name, column)) return { action: 'mask', labels: [column] };
    const action = this.#policy.find([name, `${schema}.${name}`], column);
    return action === undefined ? undefined : { action, labels: [column] };
  }

  forget(): void {
    this.#tables.clear();
    this.#views.clear();
  }

  #rule(relation: CatalogRelation): RuledRelation {
    const { schema, name, isView, definition } = relation;
    const columns = addComputed(
      relation,
      relation.columns.map((column) => ({
        name: column.name,
        isInvisible: column.isInvisible,
        taint: this.judge(relation, column.name),
      })),
    );
    return { schema, name, isView, definition, columns, isProtected: columns.some(({ taint }) => taint !== undefined) };
  }
}

export function openColumnCatalog(rules: readonly ColumnRules[] | undefined): ColumnCatalog | undefined {
  const policy = rules && createColumnPolicy(rules);
  return policy && new ColumnCatalog(policy);
}

/** Adds the taint of columns that are computed of others of the same table, also over several steps. */
function addComputed({ columns }: CatalogRelation, ruled: readonly SourceColumn[]): readonly SourceColumn[] {
  const computed = columns.flatMap(({ expressions }, i) =>
    expressions.length === 0 ? [] : [{ i, names: readNames(expressions) }],
  );
  if (computed.length === 0 || ruled.every(({ taint }) => taint === undefined)) return ruled;
  let current = ruled;
  for (let round = 0; round < computed.length; round += 1) {
    const last = current;
    const added = new Map(computed.map(({ i, names }) => [i, findTaint(last, names)]));
    current = current.map((column, i) => ({ ...column, taint: mergeTaints(column.taint, added.get(i)) }));
  }
  return current;
}

function findTaint(columns: readonly SourceColumn[], names: ReadonlySet<string>): Taint | undefined {
  const read = columns.filter(({ name, taint }) => taint !== undefined && names.has(foldName(name ?? '')));
  return deriveTaint(mergeTaints(...read.map(({ taint }) => taint)));
}

const names = /`((?:[^`]|``)+)`|"((?:[^"]|"")+)"|[\w$\u0080-\uffff]+/g;

/** Everything in the expressions that may be a name. */
function readNames(expressions: readonly string[]): ReadonlySet<string> {
  const found = expressions.flatMap((text) => [...dropTexts(text).matchAll(names)]);
  return new Set(found.map(([word, ticked, quoted]) => foldName((ticked ?? quoted ?? word).replaceAll('``', '`'))));
}

/** Without literals, where their bounds are sure: MySQL shows each quote with a backslash, and escapes in a literal with several. */
function dropTexts(expression: string): string {
  if (!expression.includes('\\')) return expression.replaceAll(/'[^']*'/g, "''");
  const isPlain = expression.replaceAll("\\'", '').search(/['\\]/) < 0;
  return isPlain ? expression.replaceAll(/\\'[^'\\]*\\'/g, "''") : expression;
}
