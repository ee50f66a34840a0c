import type { CatalogQuestion } from '../../../../../guard/read-statement.ts';
import { findFunctionDenial, runsText } from '../../denials.ts';
import { addEdge, CatalogObject, type Found, isUserType, toKey } from './catalog-object.ts';
import { formatDependents, formatUnrecorded } from './dependents-sql.ts';
import { catalogs } from './describe-sql.ts';
import { explainRoot } from './roots.ts';

/** The type that everything can be cast to. */
const text = '25';

/** The limit of the objects in one query, because a catalog may have any number. */
const objectsPerPage = 20_000;

export async function openFound(run: CatalogQuestion, sql: string, params: readonly string[] = []): Promise<Found[]> {
  // The query returns it in this form.
  return (await run(sql, params)).flatMap(([list]) => JSON.parse(list ?? '[]') as Found[]);
}

/** The objects that may lead to something unsafe, and the edges between them that the catalog records. */
export class Graph {
  readonly objects = new Map<string, CatalogObject>();
  readonly #run: CatalogQuestion;
  readonly #major: number;

  constructor(run: CatalogQuestion, major: number) {
    this.#run = run;
    this.#major = major;
  }

  /** Adds objects and everything that depends on them. */
  async add(roots: readonly Found[]): Promise<void> {
    const fresh = roots.filter(({ via }) => via === '0').flatMap((found) => this.#addRoot(found));
    await this.#spread([...fresh, ...this.#addEdges(roots.filter(({ via }) => via !== '0'))]);
  }

  #addRoot(found: Found): CatalogObject[] {
    const { object, isNew } = this.#toObject(found);
    if (found.how === 'body') object.body ??= found.detail;
    else if (found.how === 'makes') object.makesAnyType = true;
    else if (found.how === 'sets') object.leavesState = true;
    else object.reason ??= explainRoot(found);
    if (found.how === 'altered' || found.how === 'modifiers') object.isEverywhere = true;
    if (found.how === 'named' && found.class === catalogs.function) object.isDeniedByName = true;
    return isNew ? [object] : [];
  }

  #toObject(found: Found): { object: CatalogObject; isNew: boolean } {
    const key = toKey(found.class, found.oid);
    const known = this.objects.get(key);
    if (known !== undefined) return { object: known, isNew: false };
    const object = new CatalogObject(found);
    // A built-in function in SQL may lead to one of the same name.
    object.isDeniedByName = found.class === catalogs.function && isDenied(object);
    this.objects.set(key, object);
    return { object, isNew: true };
  }

  #addEdges(rows: readonly Found[]): CatalogObject[] {
    return rows.flatMap((found) => {
      const via = this.objects.get(toKey(found.viaClass, found.via));
      // The rows of a materialized view are stored.
      if (via === undefined || (found.how === 'calls' && found.description.kind === 'materialized view')) return [];
      const { object, isNew } = this.#toObject(found);
      if (holdsText(found, via)) object.body = 'text';
      else addEdge(object, via, found.how);
      return isNew ? [object] : [];
    });
  }

  /** What no dependency tells is read from all stored trees, so that it is asked only when nothing else is left. */
  async #spread(first: readonly CatalogObject[]): Promise<void> {
    const unrecorded: CatalogObject[] = [];
    for (let fresh = first; fresh.length > 0; ) {
      unrecorded.push(...fresh.filter(isUsedUnrecorded));
      fresh = await this.#openAll(fresh, formatDependents);
      if (fresh.length === 0) fresh = await this.#openAll(unrecorded.splice(0), formatUnrecorded);
    }
  }

  /** Gives the objects that were not known. */
  async #openAll(objects: readonly CatalogObject[], format: (of: string, major: number) => string): Promise<CatalogObject[]> {
    const found: CatalogObject[] = [];
    for (const of of new Set(objects.map((object) => object.class))) {
      const members = objects.filter((object) => object.class === of);
      for (let from = 0; from < members.length; from += objectsPerPage) {
        const page = members.slice(from, from + objectsPerPage);
        const params = [page.map(({ oid }) => oid), page.map(({ immutable }) => immutable === true)].map(
          (list) => `{${list.join(',')}}`,
        );
        for (const one of this.#addEdges(await openFound(this.#run, format(of, this.#major), params))) found.push(one);
      }
    }
    return found;
  }
}

/** Whether it can be used where the catalog records no dependency. */
function isUsedUnrecorded({ class: of, target, oid }: CatalogObject): boolean {
  if (of === catalogs.operator) return !isUserType(oid);
  return of === catalogs.type || (of === catalogs.cast && target === text);
}

/** Whether a view runs SQL that it has as a literal, which can be checked. */
function holdsText({ class: objectClass, how }: Found, via: CatalogObject): boolean {
  return objectClass === catalogs.relation && how === 'calls' && via.isDeniedByName && runsText(via.schema, via.name);
}

function isDenied({ schema, name, oid }: CatalogObject): boolean {
  return !isUserType(oid) && findFunctionDenial(schema, name) !== undefined;
}
