import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { asked, openAsking, standIns } from './asking.ts';
import { catalogs } from './describe-sql.ts';
import type { Parameter } from './variables.ts';

/** The text of a function or a view. */
export interface Body {
  readonly class: string;
  readonly oid: string;
  readonly name: string;
  readonly language: string;
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** `name=value`, line by line: settings of a function of its own, a search path among them; else what matters of the caller's. */
  readonly settings: string;
  /** Whose rights it runs with; undefined: those of whoever calls it. */
  readonly definer: string | undefined;
  /** It came with an extension, and an owner of the database has not added it: whoever installed that looked at what it may do. */
  readonly member: boolean;
}

/** So many at once; what a question may answer is limited. */
const page = 2_000;
/** A body that is longer is cut, and nobody knows what is behind. */
export const longestBody = 500_000;

/** Functions in languages whose text can be read. Those of the server itself have bodies as well, and can be replaced. */
const question = (major: number) => `
  with path (first) as materialized (${standIns})
  select p.oid, l.lanname, pg_catalog.substr(p.prosrc, 1, ${longestBody + 1}),
    pg_catalog.concat_ws(E'\\n', pg_catalog.array_to_string(p.proconfig, E'\\n'),
      case when pg_catalog.array_to_string(p.proconfig, E'\\n') ~ '(?n)^search_path=' then null else path.first end),
    case when p.prosecdef then p.proowner end,
    exists (select from pg_catalog.pg_depend d where d.classid = 1255 and d.objid = p.oid and d.deptype = 'e')
      and exists (select from pg_catalog.pg_roles r where r.oid = p.proowner and r.rolsuper),
    (select pg_catalog.json_agg(pg_catalog.json_build_object('name', coalesce(p.proargnames[i], ''), 'type', pg_catalog.format_type(t, null),
        'row', exists (select from pg_catalog.pg_type y where y.oid = t and y.typtype = 'c')) order by i)
      from pg_catalog.unnest(coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[])) with ordinality a (t, i)), p.proname,
    path.first
  from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang cross join path
  where p.oid > $1::pg_catalog.oid and l.lanname not in ('internal', 'c')
    and p.prorettype not in ('trigger'::pg_catalog.regtype, 'event_trigger'::pg_catalog.regtype)
    ${major >= 14 ? 'and p.prosqlbody is null' : ''}
  order by p.oid limit ${page}`;

export async function openBodies(run: CatalogQuestion, major: number): Promise<Body[]> {
  const bodies: Body[] = [];
  for (let after = '0'; ; ) {
    const rows = await run(question(major), [after]);
    bodies.push(...rows.map(parseBody));
    const last = rows.at(-1);
    const path = last?.[8] ?? undefined;
    if (after === '0' && path !== undefined) bodies.push(...(await openAsking(run, major)).map((of) => asBody(of, asked, path)));
    if (rows.length < page || !last?.[0]) return bodies;
    after = last[0];
  }
}

/** Views that run SQL they have as a string, and standard functions that do. */
export async function openTexts(run: CatalogQuestion, views: readonly string[], functions: readonly string[]): Promise<Body[]> {
  const rows = await run(
    `with path (first) as materialized (${standIns})
     select oid, pg_catalog.pg_get_viewdef(oid), 1259, first from path, pg_catalog.unnest($1::pg_catalog.oid[]) oid
     union all
     select oid, pg_catalog.pg_get_functiondef(oid), 1255, first from path, pg_catalog.unnest($2::pg_catalog.oid[]) oid`,
    [`{${views.join(',')}}`, `{${functions.join(',')}}`],
  );
  return rows.map(([oid, text, objectClass, path]) => asBody([objectClass ?? '', oid ?? ''], text ?? '', path ?? ''));
}

function asBody([objectClass, oid]: readonly [string, string], text: string, settings: string): Body {
  const unknown = { name: '', parameters: [], definer: undefined, member: false };
  return { ...unknown, class: objectClass, oid, language: 'sql', text, settings };
}

function parseBody([oid, language, text, settings, owner, member, parameters, name]: readonly (string | null)[]): Body {
  return {
    class: catalogs.function,
    oid: oid ?? '',
    name: name ?? '',
    language: language ?? '',
    text: text ?? '',
    // We asked for it in this form.
    parameters: parameters ? (JSON.parse(parameters) as Parameter[]) : [],
    settings: settings ?? '',
    definer: owner ?? undefined,
    member: member === 't',
  };
}
