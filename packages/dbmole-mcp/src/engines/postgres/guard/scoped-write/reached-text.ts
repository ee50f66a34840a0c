import type { Parser } from '../thread/parser.ts';
import { collectNames } from '../tree/collect.ts';
import type { Named } from '../tree/named-argument.ts';
import type { StatementNames } from '../tree/names.ts';
import { getInner, readLast } from '../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../tree/walk.ts';
import type { Part } from './relation-parts.ts';
import { type Change, listChanges, type NamedChange } from './row-changes.ts';
import { readSequences } from './sequences.ts';

/** A text that a write runs: the statement itself, or one that it leads to. */
export interface ReachedText {
  /** What has it, for messages: `the trigger t of app.orders`; undefined for the statement. */
  readonly where: string | undefined;
  readonly names: StatementNames;
  readonly changes: readonly NamedChange[];
  /** Sequences that it names; undefined for one that is known only when it runs. */
  readonly sequences: readonly (Named | undefined)[];
  /** Its names are looked up when it runs, perhaps along another path. */
  readonly isBody: boolean;
}

/** No name of a column has a type that only the caller decides. */
const options = { parameters: new Set<string>() };

/** Throws for what cannot be read. */
export function readTree(tree: unknown, sql: string, where: string | undefined): ReachedText {
  return {
    where,
    names: collectNames(tree, sql, options),
    changes: listChanges(tree),
    sequences: readSequences(tree),
    isBody: false,
  };
}

/** The texts of a part of a relation, as the server writes them. Throws for what cannot be read. */
export function readPart({ kind, text }: Part, where: string, parser: Parser): readonly ReachedText[] {
  if (kind === 'query') return readAll(parser, text, where);
  if (kind === 'trigger') {
    const { whenClause } = asFields(asFields(parser.parse(text)[0]?.stmt).CreateTrigStmt);
    return whenClause === undefined ? [] : [readTree(toQuery(whenClause), text, where)];
  }
  if (kind !== 'rule') return readAll(parser, `select ${text}`, where);
  const { actions, whereClause } = asFields(asFields(parser.parse(text)[0]?.stmt).RuleStmt);
  const condition = whereClause === undefined ? [] : [readTree(toQuery(whereClause), text, where)];
  return [...condition, ...asList(actions).map((action) => readTree(action, text, where))];
}

function readAll(parser: Parser, text: string, where: string): readonly ReachedText[] {
  return parser.parse(text).map(({ stmt }) => readTree(stmt, text, where));
}

/** A query that evaluates the expressions. */
export function toQuery(...expressions: readonly unknown[]): unknown {
  return { SelectStmt: { targetList: expressions.map((val) => ({ ResTarget: { val } })), op: 'SETOP_NONE' } };
}

/** What a change of a view changes: the columns that its own are, if all are known. */
export function listViewChanges(
  { names }: Pick<ReachedText, 'names'>,
  { text }: Part,
  change: Change,
  parser: Parser,
): readonly NamedChange[] {
  const { targetList } = asFields(asFields(parser.parse(text)[0]?.stmt).SelectStmt ?? {});
  const sources = new Map(asList(targetList).map(getInner).map(readSource));
  const columns = change.columns?.map((column) => sources.get(column));
  const known = columns?.every((column) => column !== undefined) === true ? columns : undefined;
  return names.relations.map(({ schema, name }) => ({ schema, name, change: { ...change, columns: known } }));
}

/** The name of a column of a view, and the column that it shows as it is. */
function readSource({ name, val }: Fields): [string, string | undefined] {
  const { ColumnRef: column } = asFields(val ?? {});
  const source = column === undefined ? undefined : readLast(asFields(column).fields);
  return [typeof name === 'string' ? name : (source ?? ''), source];
}

/** The names of several texts, whose places are not known. */
export function mergeNames(texts: readonly Pick<ReachedText, 'names'>[]): StatementNames {
  const all = texts.map(({ names }) => names);
  return {
    text: all.map(({ text }) => text).join('\n'),
    functions: all.flatMap(({ functions }) => functions),
    relations: all.flatMap(({ relations }) => relations),
    targets: all.flatMap(({ targets }) => targets),
    operators: all.flatMap(({ operators }) => operators),
    types: all.flatMap(({ types }) => types),
    fields: all.flatMap(({ fields }) => fields),
    dynamic: all.flatMap(({ dynamic }) => dynamic),
    untyped: all.find(({ untyped }) => untyped !== undefined)?.untyped,
    records: new Set(all.flatMap(({ records }) => [...records])),
    kinds: new Set(all.flatMap(({ kinds }) => [...kinds])),
    columns: new Set(all.flatMap(({ columns }) => [...columns])),
    castsByPath: all.some(({ castsByPath }) => castsByPath),
    combines: all.some(({ combines }) => combines),
    positionOf: () => undefined,
  };
}
