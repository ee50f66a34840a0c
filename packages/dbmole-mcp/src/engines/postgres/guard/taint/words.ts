import { catalogs } from './describe-sql.ts';
import type { TaintNode } from './node.ts';

/** `view v_dblink leads to dblink_exec(), which runs statements …, through function f_dblink`. */
export function formatPath(node: TaintNode): string {
  const path = pathOf(node);
  const root = path.at(-1) ?? node;
  if (root === node) return `${formatNode(node)} ${root.reason}`;
  const between = path.slice(0, -1).filter(({ kind }) => kind !== '');
  const through = between.length === 0 ? '' : `, through ${between.map(formatNode).join(' and ')}`;
  return `${formatNode(node)} ${verbOf(node)} ${formatRoot(root)}, which ${root.reason}${through}`;
}

/** From what the node leads to, to where it ends. */
function pathOf(node: TaintNode): TaintNode[] {
  const path: TaintNode[] = [];
  for (let next = node.via; next !== undefined; next = next.via) path.push(next);
  return path;
}

export function formatNode(node: TaintNode): string {
  if (node.class === catalogs.cast) return `the cast from ${node.source} to ${nameOf(node)}`;
  if (node.class === catalogs.function) return `${node.kind} ${nameOf(node)}()`;
  return `${node.kind} ${nameOf(node)}`;
}

function formatRoot(root: TaintNode): string {
  return root.schema === 'pg_catalog' || root.how === 'named'
    ? `${root.name}${root.class === catalogs.function ? '()' : ''}`
    : formatNode(root);
}

function nameOf({ schema, name }: TaintNode): string {
  return ['public', 'pg_catalog', ''].includes(schema) ? name : `${schema}.${name}`;
}

const verbs: Readonly<Record<string, string>> = {
  policy: 'has a policy that leads to',
  check: 'has a CHECK that leads to',
  index: 'has an index that leads to',
  partitions: 'has a partition key that leads to',
  statistics: 'has statistics that lead to',
  column: 'has a column whose type leads to',
  received: 'makes values of a type that leads to',
  child: 'has a part that leads to',
};

function verbOf({ how }: TaintNode): string {
  return verbs[how] ?? (how.startsWith('column ') ? `has the virtual ${how}, which leads to` : 'leads to');
}
