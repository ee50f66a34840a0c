import type { NameUse } from '../../tree/names.ts';
import { catalogs, firstUserOid, unnamed } from './describe-sql.ts';

/** Reading or calling one object may run another. */
export interface Edge {
  readonly to: CatalogObject;
  readonly how: string;
}

/** An object that leads to something unsafe, or may do so because its body has not been read yet. */
export class CatalogObject {
  readonly class: string;
  readonly oid: string;
  readonly schema: string = '';
  readonly name: string = '';
  /** `view`, `function`, …; empty for parts without a name of their own. */
  readonly kind: string = '';
  /** Its unqualified name can mean it. */
  readonly isVisible: boolean = true;
  /** Its unqualified name can mean it where arguments are passed by name. */
  readonly hasNames: boolean = false;
  /** A built-in object has the same name. */
  readonly hidesBuiltin: boolean = false;
  /** It can be meant when one of its operands is an untyped constant. */
  readonly takesUntyped: boolean = false;
  /** The types of its required arguments or operands, or the source of a cast. */
  readonly argTypes: readonly string[] = [];
  /** The most arguments it takes; null: any number. */
  readonly maxArgs: number | null = null;
  /** The planner may evaluate it. */
  readonly immutable: boolean | null = false;
  /** The type of the value that it can be a field of. */
  readonly row: string | null = null;
  /** That type is, or can be, a row type. */
  readonly takesRows: boolean = false;
  /** The owner of a SECURITY DEFINER function; null: it runs with the rights of the caller. */
  readonly definer: string | null = null;
  /** It is SECURITY DEFINER without a search path of its own. */
  readonly hasNoPath: boolean = false;
  /** Of a cast: the OID of its target. */
  readonly target: string = '0';
  /** Of a cast: the names of its target, and of the domains and arrays of it. */
  readonly targets: readonly string[] = [];
  readonly source: string = '';
  /** Of a cast: it may be applied without being written. */
  readonly isImplicitCast: boolean = false;
  /** It is denied by name, which the text of a statement or a body shows. */
  isDeniedByName = false;
  /** The language of its body, or `text` for a view with SQL in literals; undefined: the catalog records all that it leads to. */
  body: string | undefined = undefined;
  /** Any statement may run it. */
  isEverywhere = false;
  /** The user trusts it. */
  isTrusted = false;
  /** It makes values of any type. */
  makesAnyType = false;
  /** It sets a setting of an application, which stays in the session as an empty one when the transaction has ended. */
  leavesState = false;
  /** What it does itself; completes a sentence that begins with its name. */
  reason: string | undefined = undefined;
  /** What its body names as relations, when it was read. */
  reads: readonly Pick<NameUse, 'schema' | 'name'>[] = [];
  /** What its body changes the rows of. */
  changed: readonly Pick<NameUse, 'schema' | 'name'>[] = [];
  /** Its body has definitions. */
  defines = false;
  /** The columns that its body names, and `*` where it reads some without a name. */
  columns: ReadonlySet<string> = new Set();
  /** All names in its body. */
  calls: readonly string[] = [];
  readonly edges: Edge[] = [];
  readonly usedBy: { readonly from: CatalogObject; readonly how: string }[] = [];
  /** All that it leads to is known. */
  isExplored = false;
  /** A read must not reach it: it has a reason, or a cause that leads to one. */
  isRefused = false;
  cause: Edge | undefined = undefined;
  /** Of a type: any value of it is unsafe, however it is made. Of a relation: it is unsafe also as a part of another one. */
  implicit = false;
  /** It reaches unprovable code, which only a harmless user may run. */
  isUnprovable = false;

  constructor({ class: objectClass, oid, description }: Pick<Found, 'class' | 'oid' | 'description'>) {
    this.class = objectClass;
    this.oid = oid;
    Object.assign(this, description);
  }
}

/** A row of a query for objects and edges, as the query writes it in JSON. */
export interface Found {
  readonly class: string;
  readonly oid: string;
  readonly viaClass: string;
  readonly via: string;
  readonly how: string;
  readonly detail: string;
  /** Its properties in the catalog. */
  readonly description: Partial<CatalogObject>;
}

export function toKey(objectClass: string, oid: string): string {
  return `${objectClass}/${oid}`;
}

export function addEdge(from: CatalogObject, to: CatalogObject, how: string): void {
  from.edges.push({ to, how });
  to.usedBy.push({ from, how });
}

export function isUserType(oid: string): boolean {
  return Number(oid) >= firstUserOid;
}

/** The user types among its arguments: where a built-in has the same name, it needs a value of one of them. */
export function listUserTypes({ argTypes }: CatalogObject): readonly string[] {
  return argTypes.filter(isUserType);
}

/** Whether any statement may use it without naming it: implicit casts between built-in types, their sorting, and text conversions. */
export function isEverywhere({
  class: of,
  oid,
  edges,
  isImplicitCast,
  argTypes,
  target = '0',
  isEverywhere: is,
}: CatalogObject): boolean {
  if (is || unnamed.includes(of)) return true;
  if (of === catalogs.type) return !isUserType(oid) && edges.some(({ how }) => how === 'sorted' || how === 'type');
  return isImplicitCast && ![...argTypes, target].some(isUserType);
}
