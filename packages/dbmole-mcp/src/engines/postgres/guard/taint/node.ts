import { catalogs, firstUserOid, unnamed } from './describe-sql.ts';

/** An object of the database that leads to something a read must not do. */
export interface TaintNode {
  readonly class: string;
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
  /** `view`, `function`, …; empty for parts that nobody names. */
  readonly kind: string;
  readonly open: boolean;
  readonly shadows: boolean;
  /** For one of its operands, a constant without a type is enough. */
  readonly bare: boolean;
  /** The types of its operands, or what it casts from. */
  readonly needs: readonly string[];
  /** How many arguments it has at most; `needs` are those at least. */
  readonly most: number;
  /** The planner may compute it. */
  readonly immutable: boolean;
  /** The type of row that it is a field of. */
  readonly row: string | undefined;
  /** That is a row, or can be one. */
  readonly whole: boolean;
  /** Whose rights it runs with; undefined: those of whoever calls it. */
  readonly definer: string | undefined;
  /** Of a cast: the numbers of the types are in `needs` and here, and what is cast from. */
  readonly target: string | undefined;
  readonly source: string;
  /** A cast that nobody has to write. A type whose values alone make the server run something. */
  readonly implicit: boolean;
  /** What it does itself; goes on a sentence that begins with its name. Undefined: see `via`. */
  readonly reason: string | undefined;
  readonly via: TaintNode | undefined;
  readonly how: string;
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
interface Description {
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

interface Cause {
  reason: string | undefined;
  via: TaintNode | undefined;
}

export function createNode({ description, ...found }: Found, { reason, via }: Cause): TaintNode {
  const { schema = '', name = '', kind = '', open = true, shadows = false, needs = [], source = '' } = description;
  return {
    class: found.class,
    oid: found.oid,
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
    target: description.target === undefined ? undefined : String(description.target),
    source,
    implicit: found.class === catalogs.type ? isImplicit(found.how, via) : description.implicit === true,
    reason,
    via,
    how: found.how,
  };
}

function isImplicit(how: string, via: TaintNode | undefined): boolean {
  if (how === 'made') return via?.implicit === true;
  return how === 'type' || how === 'sorted' || how === 'cast';
}

export function isUserType(oid: string): boolean {
  return Number(oid) >= firstUserOid;
}

/** The types whose values have to be there for it to be meant, when the server has something of the same name. */
export function userNeeds({ needs }: TaintNode): readonly string[] {
  return needs.filter(isUserType);
}

/** Between types of the server itself, how values of one are sorted, or what texts go through, and never written: it could be anywhere. */
export function isEverywhere({ class: objectClass, oid, how, implicit, needs, target = '0' }: TaintNode): boolean {
  if (unnamed.includes(objectClass)) return true;
  if (objectClass === catalogs.type) return how === 'sorted' && !isUserType(oid);
  return objectClass === catalogs.cast && implicit && ![...needs, target].some(isUserType);
}
