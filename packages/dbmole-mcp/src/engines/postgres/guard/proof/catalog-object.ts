import { catalogs, firstUserOid, unnamed } from './describe-sql.ts';

/** That one object leads to another: reading or calling the first may run the second. */
export interface Edge {
  readonly to: CatalogObject;
  readonly how: string;
}

/** An object of the database that leads to something a read must not do, or may lead there because its body has not been read yet. */
export interface CatalogObject {
  readonly class: string;
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  /** `view`, `function`, …; empty for parts without a name of their own. */
  readonly kind: string;
  readonly open: boolean;
  readonly shadows: boolean;
  /** An untyped constant is enough for one of its operands. */
  readonly bare: boolean;
  /** The types of its operands, or what it casts from. */
  readonly needs: readonly string[];
  /** The most arguments it takes; `needs` has the least. */
  readonly most: number;
  /** The planner may compute it. */
  readonly immutable: boolean;
  /** The type of row that it is a field of. */
  readonly row: string | undefined;
  /** That type is a row, or can be one. */
  readonly whole: boolean;
  /** The owner whose rights it runs with; undefined: the caller's. */
  readonly definer: string | undefined;
  /** It runs with the rights of its owner, and looks for names where its caller says. */
  readonly unpinned: boolean;
  /** Of a cast: the numbers of the types are in `needs` and here, and the name of the source. */
  readonly target: string | undefined;
  readonly source: string;
  /** Of a cast: it is applied without being written. */
  readonly isImplicitCast: boolean;
  /** It is denied by its name, which the text of a statement or a body shows. */
  isDeniedByName: boolean;
  /** The language of its body, or `text` for a view with SQL in literals; undefined: the catalog has all that it leads to. */
  body: string | undefined;
  /** Any statement may run it. */
  isEverywhere: boolean;
  /** A person vouches for it. */
  isTrusted: boolean;
  /** It makes values of whatever type it is given. */
  makesAnyType: boolean;
  /** What it does itself; completes a sentence that begins with its name. */
  reason: string | undefined;
  readonly edges: Edge[];
  readonly usedBy: { readonly from: CatalogObject; readonly how: string }[];
  /** Everything that it leads to is known. */
  isExplored: boolean;
  /** A read must not reach it: it has a reason, or a cause leads to an object that has one. */
  isRefused: boolean;
  cause: Edge | undefined;
  /** Of a type: values of it are enough, it does not matter how they are made. */
  implicit: boolean;
  /** It reaches code that cannot be checked, which only a user without powers may run. */
  isUnprovable: boolean;
}

/** A row of what the server found. */
export interface Found {
  readonly class: string;
  readonly oid: string;
  readonly viaClass: string;
  readonly via: string;
  readonly how: string;
  readonly detail: string;
  readonly description: Description;
}

/** As our own SQL writes it. */
export interface Description {
  readonly schema?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly open?: boolean;
  readonly shadows?: boolean;
  readonly bare?: boolean;
  readonly needs?: readonly (string | number)[];
  readonly most?: number | null;
  readonly immutable?: boolean | null;
  readonly row?: string | number | null;
  readonly whole?: boolean;
  readonly definer?: string | number | null;
  readonly unpinned?: boolean;
  readonly target?: string | number;
  readonly source?: string;
  readonly implicit?: boolean;
}

export function parseFound([oidClass, oid, viaClass, via, how, detail, json]: readonly (string | null)[]): Found {
  return {
    class: oidClass ?? '',
    oid: oid ?? '',
    viaClass: viaClass ?? '',
    via: via ?? '',
    how: how ?? '',
    detail: detail ?? '',
    // We asked for it in this form.
    description: json ? (JSON.parse(json) as Description) : {},
  };
}

export function keyOf(objectClass: string, oid: string): string {
  return `${objectClass}/${oid}`;
}

export function createObject({
  class: objectClass,
  oid,
  description,
}: Pick<Found, 'class' | 'oid' | 'description'>): CatalogObject {
  const { schema = '', name = '', kind = '', open = true, shadows = false, needs = [], source = '' } = description;
  const isCast = objectClass === catalogs.cast;
  return {
    class: objectClass,
    oid,
    schema,
    name,
    kind,
    open,
    shadows,
    bare: description.bare === true,
    needs: needs.map(String),
    most: description.most ?? Number.POSITIVE_INFINITY,
    immutable: description.immutable === true,
    row: description.row == null ? undefined : String(description.row),
    whole: description.whole === true,
    definer: description.definer == null ? undefined : String(description.definer),
    unpinned: description.unpinned === true,
    target: description.target === undefined ? undefined : String(description.target),
    source,
    isImplicitCast: isCast && description.implicit === true,
    isDeniedByName: false,
    body: undefined,
    isEverywhere: false,
    isTrusted: false,
    makesAnyType: false,
    reason: undefined,
    edges: [],
    usedBy: [],
    isExplored: false,
    isRefused: false,
    cause: undefined,
    implicit: false,
    isUnprovable: false,
  };
}

export function addEdge(from: CatalogObject, to: CatalogObject, how: string): void {
  from.edges.push({ to, how });
  to.usedBy.push({ from, how });
}

export function isUserType(oid: string): boolean {
  return Number(oid) >= firstUserOid;
}

/** The types whose values have to be there for it to be meant, when the server has something of the same name. */
export function userNeeds({ needs }: CatalogObject): readonly string[] {
  return needs.filter(isUserType);
}

/** Between types of the server itself, how values of one are sorted, or what texts go through, and never written: it could be anywhere. */
export function isEverywhere(object: CatalogObject): boolean {
  const { class: objectClass, oid, edges, isImplicitCast, needs, target = '0' } = object;
  if (object.isEverywhere) return true;
  if (unnamed.includes(objectClass)) return true;
  if (objectClass === catalogs.type) return !isUserType(oid) && edges.some(({ how }) => how === 'sorted');
  return isImplicitCast && ![...needs, target].some(isUserType);
}
