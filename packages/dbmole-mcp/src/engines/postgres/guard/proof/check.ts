import { askUser, type Failure, type Hint } from '@dbmole/core/failure';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { useExecute } from '../../../../next-steps.ts';
import { findCallDenial, findReach, findUnreviewedDenial } from '../denials.ts';
import { refusal, refuseNames } from '../refuse.ts';
import { asCall, type NameUse, type StatementNames } from '../tree/names.ts';
import { refuseForeignNames } from '../tree/syntax.ts';
import type { Body } from './bodies/bodies.ts';
import { type BodyReading, readBody } from './bodies/read-body.ts';
import { type CatalogObject, isEverywhere, isUserType } from './catalog/catalog-object.ts';
import { catalogs } from './catalog/describe-sql.ts';
import type { Reached } from './catalog/premise.ts';
import { findRoot, formatPath } from './describe-path.ts';
import { Explorer, type ExplorerOptions } from './explore.ts';
import { type Statistics, usesStatistics } from './types/any-type.ts';
import { Matcher, type Matching } from './types/match.ts';
import { Uses } from './types/uses.ts';

export interface Check {
  /** Throws a `refused` Failure for a statement that may reach something unsafe. Returns whether the statement leaves state in the session. */
  check(names: StatementNames, run: CatalogQuestion): Promise<boolean>;
  /** The functions that these names may lead to, bodies included, except for those behind a view or a table. They must have been checked. */
  listCode(names: StatementNames): readonly CatalogObject[];
  /** Reads a body that no statement can call, such as that of a trigger. */
  readBody(body: Body): BodyReading;
  /** Every schema that a name without one may be looked up in. */
  readonly schemas: ReadonlySet<string>;
  /** A query failed halfway, so this check is incomplete and must not be used again. */
  readonly isBroken: boolean;
  /** What all statements so far have reached. */
  readonly reached: Reached;
}

export interface CheckOptions extends Omit<ExplorerOptions, 'findEdges'>, Matching {
  readonly statistics: Statistics;
  /** The search path of the session finds the server's own types first. */
  readonly isCatalogFirst: boolean;
}

interface Finding {
  readonly object: CatalogObject;
  readonly use: NameUse | undefined;
  /** The relation that has a column of this type. */
  readonly column?: CatalogObject;
}

/** Checks statements of one database while the premise holds. */
export function createCheck(options: CheckOptions): Check {
  const { parser, providers, rowsAreCast, records, schemas, isUtf8, unreviewed } = options;
  const finder = new Finder(options);
  const explorer = new Explorer({
    ...options,
    findEdges: (body, { uses, hasAnyType }) => {
      const matching = { providers, rowsAreCast, records, schemas, anyType: hasAnyType && isUserType(body.oid) };
      return [...new Set(finder.find(uses, matching, explorer).map(({ object }) => object))];
    },
  });
  /** What a checked statement names, for what is asked about it next. */
  const found = new WeakMap<StatementNames, readonly Finding[]>();
  const check = async (written: StatementNames, run: CatalogQuestion) => {
    if (unreviewed.size > 0) refuseNames(written, (use) => findUnreviewedDenial(use, unreviewed));
    if (!isUtf8) refuseForeignNames(written.text, parser);
    if (written.castsByPath && !options.isCatalogFirst) throw refuseCast();
    const names = rowsAreCast ? refuseFields(written) : written;
    const reached = finder.find(new Uses([names]), { providers, rowsAreCast, records }, explorer);
    if (names === written) found.set(written, reached);
    const objects = reached.map(({ object }) => object);
    await explorer.explore(objects, run);
    const [first] = reached.filter(({ object }) => object.isRefused).toSorted((a, b) => getRank(a) - getRank(b));
    if (first !== undefined) throw refuse(first, names);
    return leadToState(objects);
  };
  return {
    check,
    schemas: schemas ?? new Set(),
    readBody: (body) => readBody(body, parser, options),
    listCode: (names) =>
      findCode(found.get(names) ?? finder.find(new Uses([names]), { providers, rowsAreCast, records }, explorer)),
    get isBroken() {
      return explorer.isBroken;
    },
    get reached() {
      const explored = [...options.objects.values()].filter((object) => object.class === catalogs.function && object.isExplored);
      return { names: finder.names, functions: new Set(explored.map(({ oid }) => oid)) };
    },
  };
}

/** The first place in the text comes first, and what may become a value of a type behind all others. */
function getRank({ use, column }: Finding): number {
  return column === undefined ? (use?.at ?? Number.MAX_VALUE) : Number.POSITIVE_INFINITY;
}

function findCode(found: readonly Finding[]): CatalogObject[] {
  const seen = new Set(found.map(({ object }) => object));
  for (const object of seen) for (const to of listRun(object)) seen.add(to);
  return [...seen].filter((object) => object.class === catalogs.function);
}

/** What a relation runs is its owner's; what casts and compares its values is not. A group has everything in it. */
function listRun({ class: of, edges }: CatalogObject): readonly CatalogObject[] {
  if (of === catalogs.target || of === '0') return [];
  if (of !== catalogs.relation) return edges.map(({ to }) => to);
  const types = new Set(edges.flatMap(({ to }) => (to.class === catalogs.type ? to : [])));
  for (const type of types) for (const { to } of type.edges) if (to.class === catalogs.type) types.add(to);
  return [...types].flatMap((type) => type.edges.flatMap(({ to, how }) => (how === 'check' ? [] : to)));
}

function leadToState(objects: readonly CatalogObject[]): boolean {
  const seen = new Set(objects);
  for (const { leavesState, edges } of seen) {
    if (leavesState) return true;
    for (const { to } of edges) seen.add(to);
  }
  return false;
}

/** Where a row can be cast implicitly, any field may be a call. */
function refuseFields(names: StatementNames): StatementNames {
  const functions = names.fields.map(asCall);
  refuseNames({ ...names, functions }, findCallDenial);
  return { ...names, dynamic: [...names.dynamic, ...functions.filter(findReach)] };
}

/** Finds the objects that the names of a statement or a body may mean. */
class Finder {
  readonly #byName: ReadonlyMap<string, readonly CatalogObject[]>;
  readonly #targets: ReadonlyMap<string, readonly CatalogObject[]>;
  readonly #casts: readonly CatalogObject[];
  readonly #everywhere: readonly CatalogObject[];
  readonly #statistics: Statistics;
  /** All names that were looked up. */
  readonly names = new Set<string>();

  constructor({ objects, statistics }: CheckOptions) {
    const all = [...objects.values()].filter(({ isDeniedByName }) => !isDeniedByName);
    this.#byName = groupByName(all.filter(({ class: of }) => of !== catalogs.target && of !== catalogs.cast));
    this.#casts = all.filter((object) => object.class === catalogs.cast);
    this.#targets = groupByName(all.filter((object) => object.class === catalogs.target));
    this.#everywhere = [...objects.values()].filter(isEverywhere);
    this.#statistics = statistics;
  }

  find(uses: Uses, matching: Matching, explorer: Explorer): Finding[] {
    const matcher = new Matcher(uses, matching);
    const named = this.#findNamed(uses, matcher);
    const found = [...named, ...uses.statements.flatMap((names) => this.#findUnnamed(names, named, explorer))];
    if (usesStatistics(uses, this.#statistics)) found.push({ object: explorer.anyType, use: undefined });
    return [...found, ...this.#everywhere.map((object) => ({ object, use: undefined }))];
  }

  #findUnnamed(names: StatementNames, named: readonly Finding[], explorer: Explorer): Finding[] {
    return [
      ...named.flatMap(({ object: column }) =>
        findUntyped(column, names).map((object) => ({ object, use: names.untyped, column })),
      ),
      ...names.dynamic.flatMap((use) => explorer.listFound([use]).map((object) => ({ object, use }))),
      ...names.targets.flatMap((use) => (this.#targets.get(use.name) ?? []).map((object) => ({ object, use }))),
    ];
  }

  #findNamed(uses: Uses, matcher: Matcher): Finding[] {
    for (const name of uses.names) this.names.add(name);
    const named = [...uses.names].flatMap((name) => this.#byName.get(name) ?? []);
    return [...named, ...this.#casts].flatMap((object) => {
      const use = matcher.find(object);
      return use === undefined ? [] : [{ object, use }];
    });
  }
}

function groupByName(objects: readonly CatalogObject[]): ReadonlyMap<string, readonly CatalogObject[]> {
  const groups = new Map<string, CatalogObject[]>(objects.map(({ name }) => [name, []]));
  for (const object of objects) groups.get(object.name)?.push(object);
  return groups;
}

function refuse({ object, use, column }: Finding, names: StatementNames): Failure {
  const position = use === undefined ? undefined : names.positionOf(use);
  if (column !== undefined) return refuseUntyped(object, column, names);
  if (object.class === '0') return refuseGroup(object, use, position);
  return refusal({ message: formatPath(object), hint: formatHint(object, use), position });
}

function formatHint(object: CatalogObject, use: NameUse | undefined): Hint {
  const root = findRoot(object);
  if (root.isUnprovable && !object.isDeniedByName) return formatUnprovableHint(root);
  if (!object.hidesBuiltin || use?.schema !== undefined) return useExecute;
  const builtin = object.class === catalogs.operator ? `operator(pg_catalog.${object.name})` : `pg_catalog.${object.name}`;
  return [`To use the built-in one, write ${builtin}.`, useExecute];
}

/** The user can connect with a harmless role, or trust the function. */
function formatUnprovableHint({ class: of, schema, name, body = '' }: CatalogObject): Hint {
  const role: Hint = {
    run: 'doctor CONNECTION --role',
    to: 'print the SQL for a role without powers, and connect as that',
    tool: 'Ask the user to connect as a role without powers (`dbmole-mcp doctor CONNECTION --role` prints the SQL).',
  };
  if (of !== catalogs.function) return role;
  const [, extension] = /^extension (.*)$/s.exec(body) ?? [];
  const trusted = extension === undefined ? `"${schema}.${name}(…)"` : `the extension "${extension}"`;
  return [role, askUser(`review ${trusted} and add it to "trust" of the connection if it is safe`)];
}

/**
 * The types of columns of which values may be made. An uncast text takes the type of its neighbor, and several values take one type. Where
 * that is an array, a range or a row of a domain, the checks of the domain run; where it is a domain over a type of the server, only when
 * columns become parts of another value. No check runs when a column is just read.
 */
function findUntyped(object: CatalogObject, { untyped, combines, kinds }: StatementNames): readonly CatalogObject[] {
  if (object.class !== catalogs.relation || (untyped === undefined && !combines)) return [];
  const gathers = ['FuncCall', 'A_ArrayExpr', 'SubLink', 'RowExpr', 'Row'].some((kind) => kinds.has(kind));
  const types = object.edges.flatMap(({ to, how }) => (how === 'column' && to.class === catalogs.type ? [to] : []));
  // The array of a type and the type lead to each other.
  const hasParts = (type: CatalogObject) =>
    type.edges.some(({ to }) => to.class === catalogs.type && !to.edges.some((back) => back.to === type));
  return types.filter((type) => gathers || type.kind !== 'domain' || hasParts(type));
}

function refuseUntyped(type: CatalogObject, { name }: CatalogObject, { untyped, positionOf }: StatementNames): Failure {
  const what = untyped === undefined ? 'an array of another type' : 'a constant or parameter without a cast';
  return refusal({
    message: `${what} may be coerced to a type used by ${name}: ${formatPath(type)}`,
    hint: untyped === undefined ? 'Read the values in separate columns.' : "Write its type, as in '…'::text or $1::text.",
    position: untyped && positionOf(untyped),
  });
}

function refuseCast(): Failure {
  return refusal({
    message: 'a literal that decides what is read is cast to a type that this search path may find in another schema',
    hint: 'Leave the cast out, or write pg_catalog before the type.',
    position: undefined,
  });
}

function refuseGroup(group: CatalogObject, use: NameUse | undefined, position: number | undefined): Failure {
  const member = group.cause?.to ?? group;
  const subject = use === undefined ? 'using statistics' : `${use.name}()`;
  return refusal({
    message: `${subject} chooses what it reads at run time and could reach: ${formatPath(member)}`,
    hint: 'Read the tables in a separate statement.',
    position,
  });
}
