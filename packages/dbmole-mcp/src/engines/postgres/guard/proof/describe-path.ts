import type { CatalogObject } from './catalog-object.ts';
import { catalogs } from './describe-sql.ts';

/** `view v_dblink leads to dblink_exec(), which runs statements …, through function f_dblink`. */
export function formatPath(object: CatalogObject): string {
  const path = findPath(object);
  const root = path.at(-1) ?? object;
  if (root === object) return `${formatObject(object)} ${root.reason}`;
  const between = path.slice(0, -1).filter(({ kind }) => kind !== '');
  const through = between.length === 0 ? '' : `, through ${between.map(formatObject).join(' and ')}`;
  return `${formatObject(object)} ${formatVerb(object)} ${formatRoot(root)}, which ${root.reason}${through}`;
}

/** Where the way of a refused object ends. */
export function findRoot(object: CatalogObject): CatalogObject {
  return findPath(object).at(-1) ?? object;
}

/** From what the object leads to, to where it ends. */
function findPath(object: CatalogObject): CatalogObject[] {
  const path: CatalogObject[] = [];
  const seen = new Set<CatalogObject>([object]);
  for (let next = object.cause?.to; next !== undefined && !seen.has(next); next = next.cause?.to) {
    seen.add(next);
    path.push(next);
  }
  return path;
}

function formatObject(object: CatalogObject): string {
  if (object.class === catalogs.cast) return `the cast from ${object.source} to ${formatName(object)}`;
  if (object.class === catalogs.function) return `${object.kind} ${formatName(object)}()`;
  return `${object.kind} ${formatName(object)}`;
}

function formatRoot(root: CatalogObject): string {
  return root.schema === 'pg_catalog' || root.isDeniedByName
    ? `${root.name}${root.class === catalogs.function ? '()' : ''}`
    : formatObject(root);
}

function formatName({ schema, name }: CatalogObject): string {
  return ['public', 'pg_catalog', ''].includes(schema) ? name : `${schema}.${name}`;
}

/** What an object has, or does, that leads to another. */
const verbs: Readonly<Record<string, string>> = {
  policy: 'has a policy that leads to',
  check: 'has a CHECK that leads to',
  index: 'has an index that leads to',
  partitions: 'has a partition key that leads to',
  statistics: 'has statistics that lead to',
  column: 'has a column whose type leads to',
  received: 'makes values of a type that leads to',
  child: 'has a part that leads to',
  rule: 'has a rule that leads to',
  default: 'has a default that leads to',
  finds: 'reads what it is told the name of, which can be',
  makes: 'makes values of the types that it is given, which can be',
  anything: 'runs SQL that it puts together at run time, which can be',
};

function formatVerb({ cause }: CatalogObject): string {
  const how = cause?.how ?? '';
  return verbs[how] ?? (how.startsWith('column ') ? `has the virtual ${how}, which leads to` : 'leads to');
}
