import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { isDecisive } from '../../tree/settings.ts';
import { catalogs } from '../catalog/describe-sql.ts';
import type { Signature } from './plpgsql.ts';

export interface Parameter {
  readonly name: string;
  readonly type: string;
  /** `i`, `b` and `v` are passed by the caller. */
  readonly mode: string;
  /** It is of a composite type. */
  readonly row: boolean;
  /** A number, a time or an object identifier, which cannot carry text. */
  readonly isPlain: boolean;
}

/** The text of a function or a view. */
export interface Body {
  readonly class: string;
  readonly oid: string;
  readonly language: 'sql' | 'plpgsql' | 'code' | 'other';
  readonly text: string;
  readonly parameters: readonly Parameter[];
  readonly result: string;
  readonly signature: Signature;
  /** Why it is unprovable regardless of its text; completes a sentence that begins with its name. */
  readonly unprovable: string | undefined;
}

/** The number of bodies per query, because the size of an answer is limited. */
const pageSize = 500;

/** Numbers, times, booleans, UUIDs and object identifiers. */
const plainTypes = [
  ...[16, 20, 21, 23, 26, 700, 701, 1700, 1082, 1083, 1266, 1114, 1184, 1186, 2950],
  ...[24, 2202, 2203, 2204, 2205, 2206, 4089, 4096],
];

const functions = `
  select p.oid, p.prosrc, pg_catalog.array_to_string(p.proconfig, E'\\n'), p.prokind, p.proretset, p.prorettype = 'void'::pg_catalog.regtype,
    (select pg_catalog.json_agg(pg_catalog.json_build_object('name', coalesce(p.proargnames[i], ''), 'type', pg_catalog.format_type(t, null),
        'mode', coalesce(p.proargmodes[i], 'i'),
        'row', exists (select from pg_catalog.pg_type y where y.oid = t and y.typtype = 'c'),
        'isPlain', t = any ('{${plainTypes.join(',')}}'::pg_catalog.oid[])) order by i)
      from pg_catalog.unnest(coalesce(p.proallargtypes, p.proargtypes::pg_catalog.oid[])) with ordinality a (t, i)),
    pg_catalog.format_type(p.prorettype, null)
  from pg_catalog.pg_proc p where p.oid = any ($1::pg_catalog.oid[])`;

const views = `select oid, pg_catalog.pg_get_viewdef(oid) from pg_catalog.unnest($1::pg_catalog.oid[]) oid`;

/** Identifies an object whose body is wanted. */
export interface BodyReference {
  readonly class: string;
  readonly oid: string;
  readonly language: string;
}

export async function openBodies(run: CatalogQuestion, wanted: readonly BodyReference[]): Promise<readonly Body[]> {
  const bodies: Body[] = [];
  for (let from = 0; from < wanted.length; from += pageSize) {
    const page = wanted.slice(from, from + pageSize);
    const ofFunctions = page.filter((one) => one.class === catalogs.function);
    const ofViews = page.filter((one) => one.class === catalogs.relation);
    const languages = new Map(ofFunctions.map(({ oid, language }) => [oid, language]));
    if (ofFunctions.length > 0)
      for (const row of await run(functions, [formatOids(ofFunctions)]))
        bodies.push(parseFunction(row, languages.get(row[0] ?? '')));
    if (ofViews.length > 0) for (const row of await run(views, [formatOids(ofViews)])) bodies.push(parseView(row));
  }
  return bodies;
}

function formatOids(objects: readonly { readonly oid: string }[]): string {
  return `{${objects.map(({ oid }) => oid).join(',')}}`;
}

type Row = readonly (string | null)[];

const triggerTypes = ['trigger', 'event_trigger'];

function parseFunction([oid, text, settings, kind, set, isVoid, json, result]: Row, language: string | undefined): Body {
  // The query returns it in this form.
  const parameters = json ? (JSON.parse(json) as Parameter[]) : [];
  const [, extension] = /^extension (.*)$/s.exec(language ?? '') ?? [];
  const known = language === 'sql' || language === 'plpgsql' ? language : extension === undefined ? 'other' : 'code';
  const decisive = findDecisive(settings ?? '');
  return {
    class: catalogs.function,
    oid: oid ?? '',
    language: known,
    text: text ?? '',
    parameters,
    result: result ?? '',
    signature: {
      parameters,
      returnsSet: set === 't',
      returnsVoid: isVoid === 't',
      isProcedure: kind === 'p',
      trigger: triggerTypes.find((type) => type === result),
    },
    unprovable: whyUnknown(known, extension ?? language) ?? (decisive && `sets ${decisive}`),
  };
}

function whyUnknown(known: Body['language'], name: string | undefined): string | undefined {
  if (known === 'code') return `is C code of the extension "${name}", which was not reviewed`;
  return known === 'other' ? `is written in ${name?.replace(/^language /, '')}, which cannot be checked` : undefined;
}

function parseView([oid, text]: Row): Body {
  const signature = { parameters: [], returnsSet: true, returnsVoid: false, isProcedure: false };
  const view = { class: catalogs.relation, oid: oid ?? '', language: 'sql', text: text ?? '' } as const;
  return { ...view, parameters: [], result: '', signature, unprovable: undefined };
}

/** A search path is allowed, because `Session.schemas` includes it. */
function findDecisive(settings: string): string | undefined {
  const names = settings.split('\n').map((line) => line.slice(0, Math.max(0, line.indexOf('='))));
  return names.find((name) => name !== 'search_path' && isDecisive(name));
}
