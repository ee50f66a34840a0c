import { type CatalogObject, isUserType, listUserTypes } from '../catalog/catalog-object.ts';
import { catalogs } from '../catalog/describe-sql.ts';
import { mayBeOfValue, type Rows } from './rows.ts';
import { fillers, type Use, type Uses } from './uses.ts';

/** Where values of a type can come from, by name. */
export interface Providers {
  readonly relations: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly operators: ReadonlySet<string>;
  /** A server object becomes one implicitly. */
  readonly anywhere: boolean;
  /** A row without a type becomes one. */
  readonly isComposite: boolean;
  /** The OIDs of types that values can come from; a new dependency on one of them can be another provider. */
  readonly origins: ReadonlySet<string>;
}

export interface Matching {
  /** Keyed by the number of the type. */
  readonly providers: ReadonlyMap<string, Providers>;
  /** Every schema that a body may find names in, for any caller; undefined for a statement, which has the session's search path. */
  readonly schemas?: ReadonlySet<string> | undefined;
  readonly rows: Rows;
  /** A body that works on values of any type. */
  readonly anyType?: boolean;
}

/** The type of small integer constants. */
const integer = '23';

/** Finds the use by which a statement or a body leads to an object. */
export class Matcher {
  readonly #uses: Uses;
  readonly #matching: Matching;

  constructor(uses: Uses, matching: Matching) {
    this.#uses = uses;
    this.#matching = matching;
  }

  /** Undefined where no name can mean the object. */
  find(object: CatalogObject): Use | undefined {
    const { class: of } = object;
    if (of === catalogs.function) return this.#findCall(object) ?? this.#findField(object);
    if (of === catalogs.relation) return this.findRelation(object);
    if (of === catalogs.type) return this.#findType(object);
    if (of === catalogs.cast) return this.#findCast(object);
    const accepts = (use: Use) => fits(object, use) && this.#mayMean(object, use);
    return of === catalogs.operator ? this.#findNamed(object, this.#uses.operators, accepts) : undefined;
  }

  findRelation(object: CatalogObject): Use | undefined {
    return this.#findNamed(object, this.#uses.relations);
  }

  #findNamed(
    { name, schema, isVisible, hasNames }: CatalogObject,
    uses: ReadonlyMap<string, readonly Use[]>,
    accepts: (use: Use) => boolean = () => true,
  ): Use | undefined {
    const isKnown = isVisible || this.#matching.schemas?.has(schema) === true;
    const mayName = (use: Use) =>
      use.schema === undefined ? isKnown || (hasNames && use.hasNames === true) : use.schema === schema;
    return uses.get(name)?.find((use) => mayName(use) && accepts(use));
  }

  #findCall(object: CatalogObject): Use | undefined {
    const accepts = (use: Use) => fits(object, use) && (use.schema !== undefined || this.#mayMean(object, use));
    return this.#findNamed(object, this.#uses.functions, accepts);
  }

  #findField(object: CatalogObject): Use | undefined {
    const { row, takesRows } = object;
    if (row === null) return undefined;
    const { rows } = this.#matching;
    const isKnown = !isUserType(row) || this.#hasProvider(row);
    const isOfRecord = this.#isComposite(row);
    const accepts = (use: Use) =>
      (isKnown || (isOfRecord && (hasAny(use.recordsOf, rows.records) || this.#usesRecords('operands')))) &&
      (takesRows || mayBeOfValue(use, rows));
    return this.#findNamed(object, this.#uses.fields, accepts);
  }

  #findType(object: CatalogObject): Use | undefined {
    const { types, functions, fields } = this.#uses;
    for (const uses of [types, functions, fields]) {
      const use = this.#findNamed(object, uses);
      if (use !== undefined) return use;
    }
    return this.#fillsRows() ? this.findRelation(object) : undefined;
  }

  #fillsRows(): boolean {
    const { functions, operators } = this.#uses;
    return operators.has('#=') || fillers.some((name) => functions.has(name));
  }

  /** The target has its own schema, which the writer may leave out. A row is cast column by column. */
  #findCast(object: CatalogObject): Use | undefined {
    if (!listUserTypes(object).every((type) => this.#hasProvider(type))) return undefined;
    const { types, functions } = this.#uses;
    for (const name of object.targets) {
      const [use] = types.get(name) ?? functions.get(name) ?? [];
      if (use !== undefined) return use;
    }
    return this.#castsRowsFrom(object) ? findFirst(types, (name) => name !== 'record') : undefined;
  }

  #castsRowsFrom(object: CatalogObject): boolean {
    if (!this.#usesRecords('operands') && !this.#usesRecords('casts')) return false;
    const types = listUserTypes(object);
    if (types.length === 0) return this.#uses.records.castsValues || object.argTypes.includes(integer);
    return types.some((type) => this.#comesFrom(this.#matching.providers.get(type)));
  }

  /**
   * Whether the name can mean this object although a built-in has the same name. An object over built-in types always can, because an
   * exact match wins over a built-in that needs conversions.
   */
  #mayMean(object: CatalogObject, use: Use): boolean {
    if (!object.hidesBuiltin || (object.takesUntyped && use.untyped !== false)) return true;
    const types = listUserTypes(object);
    if (types.length === 0) return true;
    const hasRecords = this.#usesRecords('operands');
    return types.some((type) => this.#hasProvider(type) || (hasRecords && this.#isComposite(type)));
  }

  #usesRecords(kind: 'operands' | 'casts'): boolean {
    return hasAny(this.#uses.records[kind], this.#matching.rows.records);
  }

  #isComposite(type: string): boolean {
    return this.#matching.providers.get(type)?.isComposite === true;
  }

  #hasProvider(type: string): boolean {
    const from = this.#matching.providers.get(type);
    // A type whose origin is unknown may come from anywhere.
    return from === undefined || from.anywhere || this.#matching.anyType === true || this.#comesFrom(from);
  }

  #comesFrom(from: Providers | undefined): boolean {
    if (from === undefined) return false;
    const { functions, fields } = this.#uses;
    const kinds = ['relations', 'functions', 'types', 'operators'] as const;
    // `mood('sad')` and `('sad').mood` are casts, and `t.f` may be a call.
    const casts = [functions, fields].some((names) => hasAny(names, from.types));
    return casts || hasAny(fields, from.functions) || kinds.some((kind) => hasAny(this.#uses[kind], from[kind]));
  }
}

/** Whether it has as many operands. Those of aggregates are not counted. */
function fits({ class: of, kind, argTypes, maxArgs }: CatalogObject, { prefix, isCounted, args = 0 }: Use): boolean {
  if (of === catalogs.operator) return prefix === undefined || prefix === (argTypes.length === 1);
  return kind !== 'function' || isCounted !== true || (args >= argTypes.length && args <= (maxArgs ?? args));
}

function findFirst(uses: ReadonlyMap<string, readonly Use[]>, accepts: (name: string) => boolean): Use | undefined {
  for (const [name, [use]] of uses) if (use !== undefined && accepts(name)) return use;
  return undefined;
}

/** The names of a set, or of a map. */
export function hasAny(names: { keys(): Iterable<string> } = new Set<string>(), wanted: ReadonlySet<string>): boolean {
  for (const name of names.keys()) if (wanted.has(name)) return true;
  return false;
}
