import { Failure } from '@dbmole/core/failure';
import { bodyBranches, branches, fieldKinds, leaves, values } from './nodes.ts';

/** A node of the parser's tree without its kind, or any part of one. */
export type Fields = Readonly<Record<string, unknown>>;

/** The names of WITH that are in scope at a node, as a linked list from the innermost. */
export interface Scope {
  readonly name: string;
  readonly outer: Scope | undefined;
}

export interface Visited {
  readonly kind: string;
  readonly fields: Fields;
  readonly scope: Scope | undefined;
  /** The kind of the node that it is a part of. */
  readonly parent: string;
}

/** What a read may not be made of: the kind of a node, or `Kind.field`. */
export class UnreadableNode extends Error {
  readonly kind: string;
  readonly fields: Fields;

  constructor(kind: string, fields: Fields) {
    super(kind);
    this.kind = kind;
    this.fields = fields;
  }
}

/** The nodes that are still to be visited. */
interface Pending {
  readonly nodes: Visited[];
  /** The queries of WITH that have been seen, at any depth. */
  withQueries: number;
  readonly isBranch: (kind: string) => boolean;
}

/**
 * Calls `visit` for every relevant node, in no particular order. Throws at the first node that a read, or the body of a function, may
 * not have. Iterates instead of recursing, because statements can be nested deeply.
 */
export function walk(root: unknown, visit: (node: Visited) => void, isBody = false): void {
  const nodes: Visited[] = [];
  const pending: Pending = {
    nodes,
    withQueries: 0,
    isBranch: (kind) => branches.has(kind) || (isBody && bodyBranches.has(kind)),
  };
  pushWrapped(pending, root, { scope: undefined, parent: '' });
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    visit(node);
    if (values.has(node.kind)) continue;
    const scope = node.fields.withClause === undefined ? node.scope : pushCtes(pending, node);
    pushFields(pending, node, scope);
  }
}

/** The server plans a chain of them in time that grows with its cube: 300 take a second, 12,000 hours, and no cancellation is heard then. */
const maxWithQueries = 300;

type Place = Pick<Visited, 'scope' | 'parent'>;

function pushFields(pending: Pending, { kind, fields }: Visited, scope: Scope | undefined): void {
  const place = { scope, parent: kind };
  for (const field in fields) {
    const value = fields[field];
    if (typeof value !== 'object' || field === 'withClause') continue;
    if (Array.isArray(value)) for (const item of value) pushWrapped(pending, item, place);
    else if (!pushWrapped(pending, value, place))
      pushKind(pending, { kind: bareKind(kind, field), fields: asFields(value), scope, parent: kind });
  }
}

/** Pushes `{ Kind: fields }`; `{}` is an empty node. False: these are bare fields, whose kind is known from where they are. */
function pushWrapped(pending: Pending, value: unknown, { scope, parent }: Place): boolean {
  const wrapper = asFields(value);
  for (const kind in wrapper) {
    if (!isKind(kind)) return false;
    pushKind(pending, { kind, fields: asFields(wrapper[kind]), scope, parent });
  }
  return true;
}

function pushKind(pending: Pending, node: Visited): void {
  if (pending.isBranch(node.kind) || values.has(node.kind)) pending.nodes.push(node);
  else if (!leaves.has(node.kind)) throw new UnreadableNode(node.kind, node.fields);
}

function bareKind(kind: string, field: string): string {
  const name = `${kind}.${field}`;
  return fieldKinds.get(name) ?? name;
}

/** A query of WITH sees the ones before it, of WITH RECURSIVE all. Returns the scope of the statement itself. */
function pushCtes(pending: Pending, { fields, scope }: Visited): Scope | undefined {
  const { ctes, recursive } = asFields(fields.withClause);
  if (!Array.isArray(ctes)) throw new UnreadableNode('WithClause', {});
  pending.withQueries += ctes.length;
  if (pending.withQueries > maxWithQueries) {
    throw new Failure(
      'refused',
      `the statement has more than ${maxWithQueries} queries in WITH, a chain of which the server may plan for hours`,
      {
        code: 'E_TOO_COMPLEX',
        hint: 'Split the statement, or let one of these queries do the work of several.',
      },
    );
  }
  const all = ctes.reduce<Scope | undefined>((outer, cte) => ({ name: cteName(cte), outer }), scope);
  let seen = scope;
  for (const cte of ctes) {
    pushWrapped(pending, cte, { scope: recursive === true ? all : seen, parent: 'WithClause' });
    seen = { name: cteName(cte), outer: seen };
  }
  return all;
}

function cteName(cte: unknown): string {
  const { ctename } = asFields(asFields(cte).CommonTableExpr);
  if (typeof ctename !== 'string') throw new UnreadableNode('WithClause', {});
  return ctename;
}

/** Kinds begin with an upper-case letter, fields do not. */
function isKind(key: string): boolean {
  const code = key.charCodeAt(0);
  return code >= 65 && code <= 90;
}

export function asFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnreadableNode('unknown', {});
  // A JSON object.
  return value as Fields;
}

/** A field that is absent has no items. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
