import { denialOfCall, isDynamic } from '../denials.ts';
import { asCall, type NameUse, type StatementNames } from '../names.ts';
import { refusal, refuseNames } from '../refuse.ts';
import { groupByName } from './by-name.ts';
import { cutName } from './cut-name.ts';
import { catalogs } from './describe-sql.ts';
import { findUse, type Matching, type Providers } from './match.ts';
import { isEverywhere, isUserType, type TaintNode } from './node.ts';
import type { Rows } from './rows.ts';
import { findUntyped, type Untyped } from './untyped.ts';
import { type Uses, usesOf } from './uses.ts';
import { formatNode, formatPath } from './words.ts';

const execute = 'Use `execute`, on a connection that is not readonly.';

/** They have values of all types in them, as arrays, and of what compares such arrays the server lets pass only two. */
const statistics = ['pg_statistic', 'pg_stats', 'pg_statistic_ext_data', 'pg_stats_ext', 'pg_stats_ext_exprs'];

function comparesStatistics({ functions, relations }: Uses): boolean {
  return (functions.has('max') || functions.has('min')) && statistics.some((name) => relations.has(name));
}

interface Found {
  readonly node: TaintNode;
  readonly use: NameUse | undefined;
}

/** For every statement that is read in this database, until the premise does not hold any more. */
export function createCheck(
  { rows, ...known }: { nodes: ReadonlyMap<string, TaintNode>; providers: ReadonlyMap<string, Providers>; rows: Rows },
  { deep, flat, makers }: Untyped,
): (names: StatementNames) => void {
  const nodes = [...known.nodes.values()].map(asParsed);
  const byName = groupByName(nodes);
  const everywhere = nodes.find(isEverywhere);
  const found = nodes.find(({ class: of, oid }) => (of === catalogs.relation || of === catalogs.type) && isUserType(oid));
  const matching: Matching = { providers: known.providers, path: '', strict: true, rows };
  const compared = nodes.find(({ class: of, oid, implicit }) => of === catalogs.type && implicit && isUserType(oid));
  const untyped = { deep: deep.map(asParsed), flat: flat.map(asParsed), makers, matching };
  const check = (names: StatementNames) => {
    if (nodes.length === 0) return;
    const uses = usesOf(names);
    const first = findFirst(uses, (name) => byName.get(name) ?? [], matching);
    if (first !== undefined) throw refuse(first, names);
    if (compared !== undefined && comparesStatistics(uses)) throw refuse({ node: compared, use: undefined }, names);
    const row = findUntyped(names, uses, untyped);
    if (row !== undefined) throw refuseUntyped(row, names);
    const [dynamic] = names.dynamic;
    if (dynamic !== undefined && found !== undefined) throw refuseDynamic(dynamic, found, names);
    if (everywhere !== undefined && uses.functions.size + uses.operators.size + uses.relations.size + uses.types.size > 0)
      throw refuse({ node: everywhere, use: undefined }, names);
  };
  return rows.cast ? (names) => check(refuseFields(names)) : check;
}

/** Where rows become something else, any field may be a call; and those that are left may find things. */
function refuseFields(names: StatementNames): StatementNames {
  const functions = names.fields.map(asCall);
  refuseNames({ ...names, functions }, denialOfCall);
  return { ...names, dynamic: [...names.dynamic, ...functions.filter(isDynamic)] };
}

/**
 * With the names that the parser gives for it. The parser cuts them at 63 bytes of UTF-8, the server at 63 of its own encoding, and
 * there perhaps in the middle of a character.
 */
function asParsed(node: TaintNode): TaintNode {
  return { ...node, name: parsedName(node.name), schema: parsedName(node.schema) };
}

function parsedName(name: string): string {
  return cutName(name.replace(/\uFFFD+$/, ''));
}

/** The one that stands first in the text. */
function findFirst(uses: Uses, nodesOf: (name: string) => readonly TaintNode[], matching: Matching): Found | undefined {
  const names = [uses.functions, uses.relations, uses.types, uses.operators, uses.fields].flatMap((map) => [...map.keys()]);
  const found = [...new Set(names)].flatMap(nodesOf).flatMap((node): Found[] => {
    const use = findUse(node, uses, matching);
    return use === undefined ? [] : [{ node, use: use.in }];
  });
  return found.toSorted((a, b) => (a.use?.at ?? -1) - (b.use?.at ?? -1))[0];
}

function refuse({ node, use }: Found, names: StatementNames) {
  return refusal({
    message: formatPath(node),
    hint: hintFor(node, use),
    position: use === undefined ? undefined : names.positionOf(use),
  });
}

function hintFor(node: TaintNode, use: NameUse | undefined): string {
  if (!node.shadows || use?.schema !== undefined) return execute;
  const builtin = node.class === catalogs.operator ? `operator(pg_catalog.${node.name})` : `pg_catalog.${node.name}`;
  return `If you mean the one of the server itself, write ${builtin}. Otherwise: ${execute}`;
}

function refuseUntyped(row: TaintNode, names: StatementNames) {
  const { untyped } = names;
  const what = untyped === undefined ? 'an array of another type' : 'a constant or parameter without a cast';
  return refusal({
    message: `${what} can become a value of what ${row.name} has in it: ${formatPath(row)}`,
    hint:
      untyped === undefined ? 'Read them apart: not as one value of several.' : "Write its type, as in '…'::text or $1::text.",
    position: untyped === undefined ? undefined : names.positionOf(untyped),
  });
}

function refuseDynamic(use: NameUse, node: TaintNode, names: StatementNames) {
  return refusal({
    message: `${use.name}() finds what it reads at run time, and that can be ${formatNode(node)}, which is no read`,
    hint: 'Read the tables with a statement of its own.',
    position: names.positionOf(use),
  });
}
