import type { CatalogRun } from '../../../engine.ts';
import type { TypeText } from './actions.ts';

/** Whether the values of a column have to be written again to get another type, and what the types are. */
interface TypeChange {
  from: string;
  to: string;
  keepsStorage: boolean;
  why: string;
}

/** What the catalog knows of both types: their bases where they are domains, and the cast between them. */
const changeSql = `
select pg_catalog.format_type(a.atttypid, a.atttypmod), a.atttypmod::text, old.base::pg_catalog.regtype::text,
  pg_catalog.format_type(new.oid, null), new.base::pg_catalog.regtype::text, new.is_constrained::text,
  (select k.castmethod from pg_catalog.pg_cast k where k.castsource = old.base and k.casttarget = new.base and k.castsource <> k.casttarget),
  (extract(timezone from pg_catalog.now()) = 0 and pg_catalog.current_setting('TimeZone') in ('UTC', 'Etc/UTC', 'GMT', 'Etc/GMT'))::text
from pg_catalog.pg_attribute a
  cross join lateral (select case when t.typtype = 'd' then t.typbasetype else t.oid end as base from pg_catalog.pg_type t where t.oid = a.atttypid) old
  cross join lateral (
    select t.oid, case when t.typtype = 'd' then t.typbasetype else t.oid end as base,
      t.typtype = 'd' and (t.typnotnull or exists (select from pg_catalog.pg_constraint k where k.contypid = t.oid)) as is_constrained
    from pg_catalog.pg_type t where t.oid = pg_catalog.to_regtype($3::text)) new
where a.attrelid = $1::text::oid and a.attname = $2::text and not a.attisdropped`;

/** Undefined where the column or the type is not found. */
export async function readTypeChange(
  run: CatalogRun,
  oid: string,
  { column, type, isComputed }: { column: string; type: TypeText; isComputed: boolean },
): Promise<TypeChange | undefined> {
  const [row] = await run(changeSql, [oid, column, type.name]);
  if (row === undefined) return undefined;
  const [from, typmod, oldBase, target, newBase, isConstrained, cast, isUtc] = row;
  const to = type.modifiers.length === 0 ? (target ?? '') : `${target}(${type.modifiers.join(',')})`;
  const judged = isComputed
    ? rewrite('USING computes every value')
    : isConstrained === 'true'
      ? rewrite('the constraints of the domain are checked for every value')
      : oldBase === newBase
        ? judgeModifiers(oldBase ?? '', Number(typmod), type.modifiers)
        : judgeCast({ types: [oldBase, newBase], cast, isUtc: isUtc === 'true', hasModifier: type.modifiers.length > 0 });
  return { from: from ?? '', to, ...judged };
}

type Judgement = Pick<TypeChange, 'keepsStorage' | 'why'>;

const rewrite = (why: string): Judgement => ({ keepsStorage: false, why });
const keep = (why: string): Judgement => ({ keepsStorage: true, why });

function judgeModifiers(type: string, oldMod: number, modifiers: readonly number[]): Judgement {
  return isWidened(type, oldMod, modifiers)
    ? keep('the length or precision only grows')
    : rewrite('the length, precision or scale does not only grow');
}

interface Cast {
  types: readonly (string | null | undefined)[];
  /** `b` for types that are stored alike. */
  cast: string | null | undefined;
  isUtc: boolean;
  hasModifier: boolean;
}

function judgeCast({ types, cast, isUtc, hasModifier }: Cast): Judgement {
  if (types.every(isTimestamp) && !hasModifier)
    return isUtc
      ? keep('the time zone of the session is UTC')
      : rewrite('the time zone of the session is not UTC; in UTC nothing is rewritten');
  if (cast !== 'b') return rewrite('the types are stored differently');
  // A length is enforced on every value that had none.
  return hasModifier ? rewrite('every value is checked against the new length') : keep('the types are stored alike');
}

function isTimestamp(type: string | null | undefined): boolean {
  return type === 'timestamp without time zone' || type === 'timestamp with time zone';
}

const anyPrecision = 6;

/** Whether the server leaves out the conversion between two modifiers of one type. `oldMod` is -1 where the column has none. */
function isWidened(type: string, oldMod: number, [first, second = 0]: readonly number[]): boolean {
  const newMod = encodeModifier(type, first, second);
  if (newMod === oldMod || first === undefined) return true;
  if (type === 'character varying') return oldMod >= 0 && (newMod ?? 0) >= oldMod;
  if (type === 'bit varying') return oldMod >= 0 && first >= oldMod;
  if (type === 'numeric') {
    const [precision, scale] = [(oldMod - 4) >> 16, (oldMod - 4) & 0x7ff];
    return oldMod >= 0 && second === scale && first >= precision;
  }
  if (/^(?:timestamp|time) with(?:out)? time zone$/.test(type)) return first >= anyPrecision || (oldMod >= 0 && first >= oldMod);
  return false;
}

/** The form of `atttypmod`. */
function encodeModifier(type: string, first: number | undefined, second: number): number | undefined {
  if (first === undefined) return -1;
  if (type === 'numeric') return ((first << 16) | (second & 0x7ff)) + 4;
  return type === 'character varying' || type === 'character' ? first + 4 : first;
}
