import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { denialOfFunction, runsText } from '../denials.ts';
import { addEdge, type CatalogObject, createObject, type Found, isUserType, keyOf, parseFound } from './catalog-object.ts';
import { formatDependents } from './dependents-sql.ts';
import { catalogs, formatFound } from './describe-sql.ts';
import { finders, reasonOfRoot } from './roots.ts';

/** Rows of one answer, and objects of one question: both are limited, and a catalog may have any number. */
const rowsPerPage = 10_000;
const objectsPerPage = 2_000;

const describing = formatFound(`
  with found (class, oid, via_class, via, how, detail) as (
    select * from rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.oid[]),
      pg_catalog.unnest($3::pg_catalog.oid[]), pg_catalog.unnest($4::pg_catalog.oid[]), pg_catalog.unnest($5::text[]),
      pg_catalog.unnest($6::text[])) x
  )`);

export async function openFound(run: CatalogQuestion, sql: string, params: readonly string[] = []): Promise<Found[]> {
  const found: Found[] = [];
  for (let page = 0; ; page++) {
    const rows = await run(`${sql}\n  order by 1, 2, 3, 4, 5, 6 limit ${rowsPerPage} offset ${page * rowsPerPage}`, params);
    for (const row of rows) found.push(parseFound(row));
    if (rows.length < rowsPerPage) return found;
  }
}

/** Every object that could lead to what a read must not do, and what leads where as the catalog has it. */
export class Graph {
  readonly objects = new Map<string, CatalogObject>();
  readonly #run: CatalogQuestion;
  readonly #major: number;

  constructor(run: CatalogQuestion, major: number) {
    this.#run = run;
    this.#major = major;
  }

  /** Adds objects, and all that depends on them. */
  async add(roots: readonly Found[]): Promise<void> {
    const fresh = roots.filter(({ via }) => via === '0').flatMap((found) => this.#addRoot(found));
    await this.#spread([...fresh, ...this.#addEdges(roots.filter(({ via }) => via !== '0'))]);
  }

  #addRoot(found: Found): CatalogObject[] {
    const { object, isNew } = this.#objectOf(found);
    if (found.how === 'body') object.body ??= found.detail;
    else if (found.how === 'makes') object.makesAnyType = true;
    else object.reason ??= reasonOfRoot(found);
    if (found.how === 'altered') object.isEverywhere = true;
    if (found.how === 'named' && found.class === catalogs.function) object.isDeniedByName = true;
    return isNew ? [object] : [];
  }

  /** Makes objects lead to others that the server reaches by SQL of its own. */
  async link(found: readonly Found[], to: readonly CatalogObject[]): Promise<void> {
    const fresh = found.flatMap((row) => {
      const { object, isNew } = this.#objectOf(row);
      for (const one of to) addEdge(object, one, row.how);
      return isNew ? [object] : [];
    });
    await this.#spread(fresh);
  }

  #objectOf(found: Found): { object: CatalogObject; isNew: boolean } {
    const key = keyOf(found.class, found.oid);
    const known = this.objects.get(key);
    if (known !== undefined) return { object: known, isNew: false };
    const object = createObject(found);
    // Standard functions of the server that lead to one of the same name.
    object.isDeniedByName = found.class === catalogs.function && isDenied(object);
    this.objects.set(key, object);
    return { object, isNew: true };
  }

  #addEdges(rows: readonly Found[]): CatalogObject[] {
    return rows.flatMap((found) => {
      const via = this.objects.get(keyOf(found.viaClass, found.via));
      // The rows of a materialized view are stored.
      if (via === undefined || (found.how === 'calls' && found.description.kind === 'materialized view')) return [];
      const { object, isNew } = this.#objectOf(found);
      if (holdsText(found, via)) object.body = 'text';
      else addEdge(object, via, found.how);
      return isNew ? [object] : [];
    });
  }

  async #spread(first: readonly CatalogObject[]): Promise<void> {
    for (let fresh = first; fresh.length > 0; ) {
      let next: readonly CatalogObject[] = [];
      for (let from = 0; from < fresh.length; from += objectsPerPage) {
        const page = fresh.slice(from, from + objectsPerPage);
        next = [...next, ...this.#addEdges(await this.#openDependents(page)), ...this.#addEdges(await this.#openCasts(page))];
      }
      fresh = next;
    }
  }

  async #openDependents(objects: readonly CatalogObject[]): Promise<Found[]> {
    const list = (of: (object: CatalogObject) => string) => `{${objects.map(of).join(',')}}`;
    const params = [list((object) => object.class), list(({ oid }) => oid), list(({ immutable }) => String(immutable))];
    return await openFound(this.#run, formatDependents(this.#major), params);
  }

  /** A cast that is applied without being written makes the values of its types dangerous. */
  async #openCasts(objects: readonly CatalogObject[]): Promise<Found[]> {
    const casts = objects
      .filter(({ isImplicitCast }) => isImplicitCast)
      .flatMap((cast) => {
        const type = [...cast.needs, cast.target ?? '0'].find(isUserType);
        return type === undefined ? [] : [{ cast, type }];
      });
    if (casts.length === 0) return [];
    const list = (of: (one: (typeof casts)[number]) => string) => `{${casts.map(of).join(',')}}`;
    return await openFound(this.#run, describing, [
      list(() => catalogs.type),
      list(({ type }) => type),
      list(({ cast }) => cast.class),
      list(({ cast }) => cast.oid),
      list(() => 'cast'),
      list(() => '""'),
    ]);
  }
}

/** A view that runs SQL which it has as a literal: the literal is checked. */
function holdsText({ class: objectClass, how }: Found, via: CatalogObject): boolean {
  return objectClass === catalogs.relation && how === 'calls' && via.isDeniedByName && runsText(via.schema, via.name);
}

function isDenied({ schema, name, oid }: CatalogObject): boolean {
  return !isUserType(oid) && denialOfFunction(schema, name) !== undefined;
}

export function isFinder({ isDeniedByName, name }: CatalogObject): boolean {
  return isDeniedByName && finders.has(name);
}
