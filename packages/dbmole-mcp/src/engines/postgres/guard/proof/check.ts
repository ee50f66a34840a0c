import type { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { denialOfCall, isDynamic } from '../denials.ts';
import { asCall, type NameUse, type StatementNames } from '../names.ts';
import type { Parser } from '../parser.ts';
import { refusal, refuseNames } from '../refuse.ts';
import { type CatalogObject, isEverywhere, isUserType } from './catalog-object.ts';
import { findRoot, formatPath } from './describe-path.ts';
import { catalogs } from './describe-sql.ts';
import { Explorer } from './explore.ts';
import { groupByName } from './group-by-name.ts';
import { findUse, type Matching, type Providers } from './match.ts';
import { takesAnyType } from './polymorphic.ts';
import type { Powers } from './powers.ts';
import type { Rows } from './rows.ts';
import { findUntyped, type Untyped } from './untyped.ts';
import { type Uses, usesOf } from './uses.ts';

export interface Check {
  /** Throws a `refused` Failure for a statement that reaches what a read must not reach. */
  check(names: StatementNames, run: CatalogQuestion): Promise<void>;
  /** A question failed in the middle, so nothing more can be checked with it. */
  readonly isBroken: boolean;
}

export interface CheckOptions {
  readonly parser: Parser;
  readonly objects: ReadonlyMap<string, CatalogObject>;
  readonly providers: ReadonlyMap<string, Providers>;
  readonly rows: Rows;
  readonly untyped: Untyped;
  readonly isUtf8: boolean;
  readonly recordFunctions: ReadonlySet<string>;
  readonly schemas: ReadonlySet<string>;
  readonly openPowers: (run: CatalogQuestion) => Promise<Powers>;
}

const execute = 'Use `execute`, on a connection that is not readonly.';

/** They hold values of all types as arrays, and of what compares such arrays the server lets only two pass. */
const statistics = ['pg_statistic', 'pg_stats', 'pg_statistic_ext_data', 'pg_stats_ext', 'pg_stats_ext_exprs'];

interface Reached {
  readonly object: CatalogObject;
  readonly use: NameUse | undefined;
  readonly isUntyped?: boolean;
}

/** For every statement that is read in this database, until the premise does not hold any more. */
export function createCheck(options: CheckOptions): Check {
  const { providers, rows, schemas } = options;
  const finder = new Finder(options);
  const explorer = new Explorer({
    ...options,
    anyField: rows.cast,
    // The functions of the server that take any type are known.
    findEdges: (body, { uses, statements, hasUnknownRows }) => {
      const matching = {
        providers,
        rows,
        schemas,
        anyType: (hasUnknownRows || takesAnyType(body.parameters)) && isUserType(body.oid),
      };
      return [...new Set(finder.find(uses, statements, matching, explorer).map(({ object }) => object))];
    },
  });
  const check = async (written: StatementNames, run: CatalogQuestion) => {
    const names = rows.cast ? refuseFields(written) : written;
    const reached = finder.find(usesOf(names), [names], { providers, rows }, explorer);
    await explorer.explore(
      reached.map(({ object }) => object),
      run,
    );
    const [first] = reached
      .filter(({ object }) => object.isRefused)
      .toSorted((a, b) => (a.use?.at ?? Number.POSITIVE_INFINITY) - (b.use?.at ?? Number.POSITIVE_INFINITY));
    if (first !== undefined) throw refuse(first, names);
  };
  return {
    check,
    get isBroken() {
      return explorer.isBroken;
    },
  };
}

/** Where rows become something else, any field may be a call; and those that are left may find things. */
function refuseFields(names: StatementNames): StatementNames {
  const functions = names.fields.map(asCall);
  refuseNames({ ...names, functions }, denialOfCall);
  return { ...names, dynamic: [...names.dynamic, ...functions.filter(isDynamic)] };
}

/** Finds the objects that names may mean. */
class Finder {
  readonly #byName: ReadonlyMap<string, readonly CatalogObject[]>;
  readonly #targets: ReadonlyMap<string, readonly CatalogObject[]>;
  readonly #everywhere: readonly CatalogObject[];
  readonly #untyped: Untyped;

  constructor({ objects, untyped }: CheckOptions) {
    const all = [...objects.values()].filter(({ isDeniedByName }) => !isDeniedByName);
    this.#byName = groupByName(all.filter((object) => object.class !== catalogs.target));
    this.#targets = groupByName(all.filter((object) => object.class === catalogs.target));
    this.#everywhere = [...objects.values()].filter(isEverywhere);
    this.#untyped = untyped;
  }

  find(uses: Uses, statements: readonly StatementNames[], matching: Matching, { anyThing, anyType }: Explorer): Reached[] {
    const found = this.#findNamed(uses, matching);
    for (const names of statements) {
      for (const row of findUntyped(names, uses, { ...this.#untyped, matching }))
        found.push({ object: row, use: names.untyped, isUntyped: true });
      const [dynamic] = names.dynamic;
      if (dynamic !== undefined) found.push({ object: anyThing, use: dynamic });
      for (const use of names.targets) for (const object of this.#targets.get(use.name) ?? []) found.push({ object, use });
    }
    if (comparesStatistics(uses)) found.push({ object: anyType, use: undefined });
    if (uses.functions.size + uses.operators.size + uses.relations.size + uses.types.size > 0)
      found.push(...this.#everywhere.map((object) => ({ object, use: undefined })));
    return found;
  }

  #findNamed(uses: Uses, matching: Matching): Reached[] {
    const maps = [uses.functions, uses.relations, uses.types, uses.operators, uses.fields];
    const names = new Set(maps.flatMap((map) => [...map.keys()]));
    const found: Reached[] = [];
    for (const name of names)
      for (const object of this.#byName.get(name) ?? []) {
        const use = findUse(object, uses, matching);
        if (use !== undefined) found.push({ object, use: use.in });
      }
    return found;
  }
}

function comparesStatistics({ functions, relations }: Uses): boolean {
  return (functions.has('max') || functions.has('min')) && statistics.some((name) => relations.has(name));
}

function refuse({ object, use, isUntyped }: Reached, names: StatementNames): Failure {
  const position = use === undefined ? undefined : names.positionOf(use);
  if (isUntyped) return refuseUntyped(object, names, position);
  if (object.class === '0') return refuseGroup(object, use, position);
  return refusal({ message: formatPath(object), hint: hintFor(object, use), position });
}

function hintFor(object: CatalogObject, use: NameUse | undefined): string {
  const root = findRoot(object);
  if (root.isUnprovable && !object.isDeniedByName) return unprovable(root);
  if (!object.shadows || use?.schema !== undefined) return execute;
  const builtin = object.class === catalogs.operator ? `operator(pg_catalog.${object.name})` : `pg_catalog.${object.name}`;
  return `If you mean the one of the server itself, write ${builtin}. Otherwise: ${execute}`;
}

/** The two ways out: a role without powers, or a person's word. */
function unprovable({ class: of, schema, name }: CatalogObject): string {
  const role = 'Connect as a role without powers (test_connection prints the SQL for one)';
  return of === catalogs.function
    ? `${role}, or let a person add "${schema}.${name}(…)" to "trust" of the connection.`
    : `${role}.`;
}

function refuseUntyped(row: CatalogObject, { untyped }: StatementNames, position: number | undefined): Failure {
  const what = untyped === undefined ? 'an array of another type' : 'a constant or parameter without a cast';
  return refusal({
    message: `${what} can become a value of what ${row.name} has in it: ${formatPath(row)}`,
    hint: untyped === undefined ? 'Read the values in separate columns.' : "Write its type, as in '…'::text or $1::text.",
    position,
  });
}

function refuseGroup(group: CatalogObject, use: NameUse | undefined, position: number | undefined): Failure {
  const member = group.cause?.to ?? group;
  const subject = use === undefined ? 'comparing statistics' : `${use.name}()`;
  return refusal({
    message: `${subject} finds what it reads at run time, which can be unsafe: ${formatPath(member)}`,
    hint: 'Read the tables with a statement of its own.',
    position,
  });
}
