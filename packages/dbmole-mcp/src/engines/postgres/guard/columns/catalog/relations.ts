import { type ColumnPolicy, findStrictest } from '@dbmole/core/match-columns';
import { BoundedCache } from '../../../../../backend/bounded-cache.ts';
import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { clean, combine, isClean, merge, type NamedValue, type ProtectedColumn, protectedValue, type Value } from '../value.ts';
import { formatFactsPremise, formatNamePremise, openRelations, type RelationFacts, type RelationName } from './relation-facts.ts';

/** What is forgotten when there is more. */
const maxKept = 5_000;

/** Parts of the catalog that have values of the columns of any table. */
const copies: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    pg_stats: 'most_common_vals most_common_elems histogram_bounds range_bounds_histogram',
    pg_stats_ext: 'most_common_vals',
    pg_stats_ext_exprs: 'most_common_vals most_common_elems histogram_bounds',
    pg_statistic: 'stavalues1 stavalues2 stavalues3 stavalues4 stavalues5',
    pg_statistic_ext_data: 'stxdmcv stxdexpr',
    pg_attribute: 'attmissingval',
  }).map(([name, columns]) => [name, new Set(columns.split(' '))]),
);

/** A table of another kind that no rule names but with a wildcard. */
const anyTable = '\u0001';

/** The relations of one database with their protected columns. What is known is kept until the premise fails. */
export class Relations {
  readonly #policy: ColumnPolicy;
  readonly #byName = new Map<string, RelationFacts | undefined>();
  readonly #byOid = new Map<string, RelationFacts>();
  readonly #named = new Map<string, RelationFacts[]>();
  readonly #anywhere = new Set<string>();
  readonly #own = new Map<RelationFacts, readonly NamedValue[]>();
  /** Whether one of these columns is protected. */
  readonly #isProtected = new Map<RelationFacts, boolean>();
  /** Statements over the same relations have the same premise. */
  readonly #premises = new BoundedCache<string>();
  readonly #protected = new Map<string, ProtectedColumn>();

  constructor(policy: ColumnPolicy) {
    this.#policy = policy;
  }

  forget(): void {
    for (const known of [this.#byName, this.#byOid, this.#named, this.#anywhere, this.#own, this.#isProtected]) known.clear();
  }

  /** After this, `find` knows these names. */
  async load(names: readonly RelationName[], ask: CatalogQuestion): Promise<void> {
    if (this.#byOid.size > maxKept) this.forget();
    const missing = names.filter((name) => !this.#byName.has(toKey(name)));
    if (missing.length > 0) await this.#open(ask, { names: missing, anywhere: [], schemas: [] });
  }

  /** After this, `listAnywhere` knows these names. */
  async loadAnywhere(names: readonly RelationName[], schemas: Iterable<string>, ask: CatalogQuestion): Promise<void> {
    const missing = names.filter((name) => !this.#anywhere.has(toKey(name)));
    if (missing.length > 0) await this.#open(ask, { names: [], anywhere: missing, schemas });
    for (const name of missing) this.#anywhere.add(toKey(name));
  }

  async #open(ask: CatalogQuestion, wanted: Parameters<typeof openRelations>[1]): Promise<void> {
    const found = await openRelations(ask, wanted);
    for (const name of wanted.names) this.#byName.set(toKey(name), undefined);
    for (const { facts: read, meantBy } of found) {
      const facts = this.#keep(read);
      for (const place of meantBy) {
        const name = wanted.names[place];
        if (name !== undefined) this.#byName.set(toKey(name), facts);
      }
    }
    this.#own.clear();
    this.#isProtected.clear();
  }

  /** Facts that are known stay the same object. Two different ones of one relation make the premise false. */
  #keep(facts: RelationFacts): RelationFacts {
    const known = this.#byOid.get(facts.oid);
    if (known?.hash === facts.hash && known.definition === facts.definition) return known;
    const others = (this.#named.get(facts.name) ?? []).filter(({ oid }) => oid !== facts.oid);
    this.#named.set(facts.name, [...others, facts]);
    this.#byOid.set(facts.oid, facts);
    return facts;
  }

  /** Undefined: no relation has this name, or it was not loaded. */
  find(name: RelationName): RelationFacts | undefined {
    const known = this.#byName.get(toKey(name));
    if (known !== undefined) return known;
    // What a view reads was loaded with the view.
    return this.listAnywhere(name).find(({ isVisible }) => name.schema !== undefined || isVisible);
  }

  isKnown(name: RelationName): boolean {
    return this.#byName.has(toKey(name)) || this.find(name) !== undefined;
  }

  /** What the types of its columns lead to. */
  listRowTypes({ columns }: RelationFacts): readonly RelationFacts[] {
    return columns.flatMap(([, , rowsOf]) => (rowsOf === null ? [] : (this.#byOid.get(rowsOf) ?? [])));
  }

  /** All that a name in the body of a function may mean. */
  listAnywhere({ schema, name }: RelationName): readonly RelationFacts[] {
    return (this.#named.get(name) ?? []).filter((facts) => schema === undefined || facts.schema === schema);
  }

  /** The columns of a table. Those of a view are only the ones that a rule names by the view. */
  getColumns(facts: RelationFacts): readonly NamedValue[] {
    const known = this.#own.get(facts) ?? this.#judge(facts);
    this.#own.set(facts, known);
    return known;
  }

  isProtected(facts: RelationFacts): boolean {
    const known = this.#isProtected.get(facts) ?? this.getColumns(facts).some(({ value }) => !isClean(value));
    this.#isProtected.set(facts, known);
    return known;
  }

  #judge(facts: RelationFacts): readonly NamedValue[] {
    const family = this.#listFamily(facts);
    const own = new Map(
      facts.columns.map(([number, name, rowsOf]) => {
        const value = this.#judgeColumn(name, facts, family);
        return [number, { name, value: rowsOf === null ? value : merge([value, this.#judgeRows(rowsOf)]) }];
      }),
    );
    // A copy of a protected column. One generated column cannot be made of another one.
    for (const [number, from] of facts.generated) {
      const [column, source] = [own.get(number), own.get(from)];
      if (column !== undefined && source !== undefined) column.value = merge([column.value, asExpression(source.value)]);
    }
    return [...own.values()];
  }

  /** Values of the type of a table's rows have its columns. */
  #judgeRows(oid: string): Value {
    const facts = this.#byOid.get(oid);
    return facts === undefined ? clean : combine(this.getColumns(facts).map(({ value }) => value));
  }

  #judgeColumn(name: string, facts: RelationFacts, family: readonly RelationFacts[]): Value {
    if (facts.schema === 'pg_toast' || (facts.schema === 'pg_catalog' && copies.get(facts.name)?.has(name)))
      return this.#protect('mask', `${facts.name}.${name}`);
    const having = family.filter(({ columns }) => columns.some(([, other]) => other === name));
    const action = findStrictest(having.map((one) => this.#findRule(one, name)));
    return action === undefined ? clean : this.#protect(action, name);
  }

  /** A column of a table that does not exist yet. */
  judgeNew({ schema, name }: RelationName, column: string): Value {
    const action = this.#policy.find(schema === undefined ? [name] : [name, `${schema}.${name}`], column);
    return action === undefined ? clean : this.#protect(action, column);
  }

  /** A view is judged by what it reads, so a rule for the columns of any table does not concern it. */
  #findRule(facts: RelationFacts, column: string) {
    const { definition } = facts;
    const names = this.#listRelated(facts, true).flatMap(({ schema, name }) => [name, `${schema}.${name}`]);
    const action = this.#policy.find(names, column);
    if (definition === null || action === undefined) return action;
    return action === this.#policy.find([anyTable, `${anyTable}.${anyTable}`], column) ? undefined : action;
  }

  /** The same object for the same column, so that its sources can be compared. */
  #protect(action: ProtectedColumn['action'], label: string): Value {
    const key = `${action} ${label}`;
    const column = this.#protected.get(key) ?? { action, label };
    this.#protected.set(key, column);
    return protectedValue(column);
  }

  /** Rows of a child are rows of its parents, so a rule for one of them holds for all. */
  #listFamily(facts: RelationFacts): readonly RelationFacts[] {
    return this.#listRelated(facts, false);
  }

  /** Itself, and its parents and theirs, or all with which it shares rows. */
  #listRelated(facts: RelationFacts, onlyParents: boolean): readonly RelationFacts[] {
    const found = new Set([facts]);
    for (const { relatives } of found) {
      for (const [oid, isParent] of relatives) {
        const relative = isParent || !onlyParents ? this.#byOid.get(oid) : undefined;
        if (relative !== undefined) found.add(relative);
      }
    }
    return [...found];
  }

  /** What must stay for a statement that names these, and reaches those. */
  formatPremise(names: readonly RelationName[], reached: Iterable<RelationFacts>): string {
    const unique = new Map(names.map((name) => [toKey(name), name]));
    const family = [...new Set([...reached].flatMap((facts) => this.#listFamily(facts)))];
    const meant = [...unique].map(([key, name]) => `${key} ${this.#byName.get(toKey(name))?.oid ?? ''}`);
    const key = [...meant, ...family.map(({ oid, hash }) => `${oid} ${hash}`)].join();
    const known = this.#premises.get(key);
    if (known !== undefined) return known;
    const named = [...unique.values()].map((name) => formatNamePremise(name, this.#byName.get(toKey(name))));
    return this.#premises.add(key, [...named, formatFactsPremise(family)].join(''));
  }
}

function asExpression(value: Value): Value {
  return value.sources.length === 0 ? value : { ...value, isPlain: false };
}

function toKey({ schema, name }: RelationName): string {
  return JSON.stringify([schema ?? null, name]);
}
