import { type CatalogObject, isUserType, listUserTypes } from '../catalog/catalog-object.ts';
import { catalogs } from '../catalog/describe-sql.ts';
import { fillers, type Use, type Uses } from './uses.ts';

/** Where values of a type can come from. */
export interface Providers {
  /** Relations, functions, types and operators. */
  readonly names: ReadonlySet<string>;
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
  /** Some type of rows has an implicit cast, so `x.f` can be a call of any function. */
  readonly rowsAreCast: boolean;
  /** The functions that return rows of the type `record`, and the empty name, as in `StatementNames`. */
  readonly records: ReadonlySet<string>;
  /** Every schema that a body may find names in, for any caller; undefined for a statement, which has the session's search path. */
  readonly schemas?: ReadonlySet<string> | undefined;
  /** A body that works on values of any type. */
  readonly anyType?: boolean;
}

/** Finds the use by which a statement or a body leads to an object. */
export class Matcher {
  readonly #uses: Uses;
  readonly #matching: Matching;
  readonly #hasRecords: boolean;
  /** Whether values of a type can be there. */
  readonly #provided = new Map<string, boolean>();

  constructor(uses: Uses, matching: Matching) {
    this.#uses = uses;
    this.#matching = matching;
    this.#hasRecords = hasAny(uses.records, matching.records);
  }

  /** Undefined where no name can mean the object. */
  find(object: CatalogObject): Use | undefined {
    const { class: of, name } = object;
    const find = (uses: readonly Use[], accepts: (use: Use) => boolean = () => true) =>
      uses.find((use) => this.#mayName(object, use) && accepts(use));
    const relations = this.#uses.get(name, 'relations');
    if (of === catalogs.function)
      return (
        find(this.#uses.get(name, 'functions'), (use) => fits(object, use) && this.#mayMean(object, use)) ??
        find(this.#uses.get(name, 'fields'), (use) => this.#mayBeField(object, use))
      );
    if (of === catalogs.relation) return find(relations);
    if (of === catalogs.type)
      return find([...this.#uses.get(name, 'types', 'functions', 'fields'), ...(this.#fillsRows() ? relations : [])]);
    if (of === catalogs.cast) return this.#findCast(object);
    const operators = of === catalogs.operator ? this.#uses.get(name, 'operators') : [];
    return find(operators, (use) => fits(object, use) && this.#mayMean(object, use));
  }

  #mayName({ schema, isVisible, hasNames }: CatalogObject, use: Use): boolean {
    if (use.schema !== undefined) return use.schema === schema;
    return isVisible || this.#matching.schemas?.has(schema) === true || (hasNames && use.hasNames === true);
  }

  #mayBeField({ row, takesRows }: CatalogObject, use: Use): boolean {
    if (row === null) return false;
    const isOfRecord = this.#isComposite(row) && (this.#hasRecords || hasAny(use.recordsOf ?? [], this.#matching.records));
    return (
      (!isUserType(row) || this.#hasProvider(row) || isOfRecord) &&
      (takesRows || this.#matching.rowsAreCast || use.isOfRow !== true)
    );
  }

  #fillsRows(): boolean {
    return this.#uses.names.has('#=') || fillers.some((name) => this.#uses.names.has(name));
  }

  /** The target has its own schema, which the writer may leave out. */
  #findCast(object: CatalogObject): Use | undefined {
    if (!object.argTypes.every((type) => !isUserType(type) || this.#hasProvider(type))) return undefined;
    return object.targets.flatMap((name) => this.#uses.get(name, 'types', 'functions'))[0];
  }

  /**
   * Whether the name can mean this object although a built-in has the same name. An object over built-in types always can, because an
   * exact match wins over a built-in that needs conversions.
   */
  #mayMean(object: CatalogObject, use: Use): boolean {
    if (!object.hidesBuiltin || (use.schema !== undefined && object.class === catalogs.function)) return true;
    if (object.takesUntyped && use.untyped !== false) return true;
    const types = listUserTypes(object);
    return types.length === 0 || types.some((type) => this.#hasProvider(type) || (this.#hasRecords && this.#isComposite(type)));
  }

  #isComposite(type: string): boolean {
    return this.#matching.providers.get(type)?.isComposite === true;
  }

  #hasProvider(type: string): boolean {
    const known = this.#provided.get(type) ?? this.#findProvider(type);
    this.#provided.set(type, known);
    return known;
  }

  /** A type whose origin is unknown may come from anywhere. */
  #findProvider(type: string): boolean {
    const from = this.#matching.providers.get(type);
    return from === undefined || from.anywhere || this.#matching.anyType === true || hasAny(this.#uses.names, from.names);
  }
}

/** Whether it has as many operands. Those of aggregates are not counted. */
function fits({ class: of, kind, argTypes, maxArgs }: CatalogObject, { prefix, isCounted, args = 0 }: Use): boolean {
  if (of === catalogs.operator) return prefix === undefined || prefix === (argTypes.length === 1);
  return kind !== 'function' || isCounted !== true || (args >= argTypes.length && args <= (maxArgs ?? args));
}

export function hasAny(names: Iterable<string>, wanted: ReadonlySet<string>): boolean {
  for (const name of names) if (wanted.has(name)) return true;
  return false;
}
