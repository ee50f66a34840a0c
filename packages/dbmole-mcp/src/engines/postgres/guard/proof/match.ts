import { type CatalogObject, isUserType, userNeeds } from './catalog-object.ts';
import { catalogs } from './describe-sql.ts';
import { mayBeOfValue, type Rows } from './rows.ts';
import type { Use, Uses } from './uses.ts';

/** Where values of a type can come from, by name. */
export interface Providers {
  readonly relations: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly operators: ReadonlySet<string>;
  /** Something of the server's own becomes one, and nobody has to write it. */
  readonly anywhere: boolean;
  /** Types by their numbers: what comes to depend on one of them later may be another place. */
  readonly origins: ReadonlySet<string>;
}

export interface Matching {
  /** By the number of the type. */
  readonly providers: ReadonlyMap<string, Providers>;
  /** Every schema that a body may find names in, for any caller; undefined for a statement, which has the session's path. */
  readonly schemas?: ReadonlySet<string> | undefined;
  readonly rows: Rows;
  /** A body that works on values of any type. */
  readonly anyType?: boolean;
}

/** They fill the row that they get, as its type wants it. */
const fillers = new Set(['json_populate_record', 'json_populate_recordset', 'populate_record', 'jsonb_populate_record']);
const otherFillers = new Set(['jsonb_populate_recordset', 'jsonb_populate_record_valid']);

/** The use by which a statement or a body leads to the object; undefined when it does not. */
export function findUse(node: CatalogObject, uses: Uses, matching: Matching): Use | undefined {
  if (node.class === catalogs.function) return findCall(node, uses, matching) ?? findField(node, uses, matching);
  if (node.class === catalogs.relation) return findNamed(node, uses.relations, matching);
  if (node.class === catalogs.type) return findType(node, uses, matching);
  if (node.class === catalogs.operator)
    return findNamed(node, uses.operators, {
      ...matching,
      accepts: (use) => fits(node, use) && meant(node, use, { uses, matching }),
    });
  if (node.class === catalogs.cast) return findCast(node, uses, matching);
  return undefined;
}

function findCall(node: CatalogObject, uses: Uses, matching: Matching): Use | undefined {
  const accepts = (use: Use) => fits(node, use) && (isQualified(use) || meant(node, use, { uses, matching }));
  return findNamed(node, uses.functions, { ...matching, accepts });
}

/** Whether it has as many operands. Of bodies, and of aggregates, nobody has counted them. */
function fits({ class: objectClass, kind, needs, most }: CatalogObject, { in: use }: Use): boolean {
  if (use === undefined) return true;
  if (objectClass === catalogs.operator) return use.prefix === undefined || use.prefix === (needs.length === 1);
  if (kind !== 'function' || !('isCounted' in use)) return true;
  return use.args >= needs.length && use.args <= most;
}

function findField(node: CatalogObject, uses: Uses, matching: Matching): Use | undefined {
  const { row, whole } = node;
  if (row === undefined) return undefined;
  if (isUserType(row) && !hasProvider(row, uses, matching)) return undefined;
  const accepts = ({ in: use }: Use) => whole || mayBeOfValue(use, matching.rows);
  return findNamed(node, uses.fields, { ...matching, unqualified: true, accepts });
}

function findType(node: CatalogObject, uses: Uses, matching: Matching): Use | undefined {
  const named =
    findNamed(node, uses.types, matching) ??
    findNamed(node, uses.functions, matching) ??
    findNamed(node, uses.fields, { ...matching, unqualified: true });
  if (named !== undefined) return named;
  return fillsRows(uses) ? findNamed(node, uses.relations, matching) : undefined;
}

function fillsRows({ functions, operators }: Uses): boolean {
  if (operators.has('#=')) return true;
  for (const name of functions.keys()) if (fillers.has(name) || otherFillers.has(name)) return true;
  return false;
}

/** The target has its own schema, which the writer may leave out. */
function findCast(node: CatalogObject, uses: Uses, matching: Matching): Use | undefined {
  const use = (uses.types.get(node.name) ?? uses.functions.get(node.name))?.[0];
  if (use === undefined) return undefined;
  return userNeeds(node).every((type) => hasProvider(type, uses, matching)) ? use : undefined;
}

interface Naming extends Matching {
  /** What is before the name is not its schema. */
  readonly unqualified?: boolean;
  /** What else there is to know of a use. */
  readonly accepts?: (use: Use) => boolean;
}

/** The use of a name that can mean the object. */
export function findNamed(node: CatalogObject, names: ReadonlyMap<string, readonly Use[]>, naming: Naming): Use | undefined {
  const open = node.open || naming.schemas?.has(node.schema) === true;
  return names.get(node.name)?.find((use) => {
    if (naming.accepts?.(use) === false) return false;
    if (naming.unqualified || !isQualified(use)) return open;
    return use.schema === node.schema;
  });
}

/**
 * Whether the name can mean this object although the server has something of the same name. For a function of the server's types it
 * always can: an exact fit of one's own wins over what the server would convert.
 */
function meant(node: CatalogObject, use: Use, { uses, matching }: { uses: Uses; matching: Matching }): boolean {
  if (!node.shadows) return true;
  if (node.bare && use.in?.untyped !== false) return true;
  const needs = userNeeds(node);
  if (needs.length === 0) return true;
  return needs.some((type) => hasProvider(type, uses, matching));
}

function isQualified({ schema }: Use): boolean {
  return schema !== undefined;
}

function hasProvider(type: string, uses: Uses, { providers, anyType }: Matching): boolean {
  const from = providers.get(type);
  // Not known to come from anywhere: better to think that it does.
  if (from === undefined || from.anywhere || anyType === true) return true;
  const kinds = ['relations', 'functions', 'types', 'operators'] as const;
  // `mood('sad')` is a cast.
  return overlaps(uses.functions, from.types) || kinds.some((kind) => overlaps(uses[kind], from[kind]));
}

function overlaps(names: ReadonlyMap<string, unknown>, wanted: ReadonlySet<string>): boolean {
  for (const name of names.keys()) if (wanted.has(name)) return true;
  return false;
}
