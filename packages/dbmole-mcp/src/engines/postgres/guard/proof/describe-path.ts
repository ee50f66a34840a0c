import type { CatalogObject } from './catalog/catalog-object.ts';
import { catalogs } from './catalog/describe-sql.ts';

/** `view v_dblink leads to dblink_exec(), which runs statements …, through function f_dblink`. */
export function formatPath(object: CatalogObject): string {
  const path = findPath(object);
  const root = path.at(-1) ?? object;
  if (root === object) return `${formatObject(object)} ${root.reason}`;
  const between = path.slice(0, -1).filter(({ kind }) => kind !== '');
  const through = between.length === 0 ? '' : `, through ${between.map(formatObject).join(' and ')}`;
  return `${formatObject(object)} ${formatVerb(object)} ${formatRoot(root)}, which ${root.reason}${through}`;
}

/** The object with the reason, at the end of the path. */
export function findRoot(object: CatalogObject): CatalogObject {
  return findPath(object).at(-1) ?? object;
}

/** The path from the object's cause to the object with the reason. */
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

/** How an object leads to another. */
const verbs = new Map(
  `policy has a policy that leads to; check has a CHECK that leads to; index has an index that leads to
  partitions has a partition key that leads to; statistics has statistics that lead to; rule has a rule that leads to
  column has a column whose type leads to; row has rows whose type leads to; received makes values of a type that leads to; child has a part that leads to
  default has a default that leads to; finds reads what it is told the name of, which can be
  makes makes values of the types that it is given, which can be
  anything runs SQL that it puts together at run time, which can be`
    .split(/;\s|\n\s+/)
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
);

function formatVerb({ cause }: CatalogObject): string {
  const how = cause?.how ?? '';
  return verbs.get(how) ?? (how.startsWith('column ') ? `has the virtual ${how}, which leads to` : 'leads to');
}
