import type {
  ColumnName,
  Condition,
  Join,
  Level,
  OrderKey,
  ParamUse,
  Source,
  StatementShape,
} from '../../../advice/statement-shape.ts';
import { openParser, parserMajor } from '../guard/thread/parser.ts';
import { getInner, readLast, readText } from '../guard/tree/node-parts.ts';
import { parseOne } from '../guard/tree/syntax.ts';
import { asFields, asList, type Fields } from '../guard/tree/walk.ts';
import { listOperands, listParams, readColumn, readConditions, readJoin } from './read-conditions.ts';

/** Runs in the thread of the guard. Throws for a text that cannot be parsed. */
export async function parseShape(sql: string): Promise<StatementShape> {
  return readShape(await parseOne(sql, await openParser(), async () => parserMajor));
}

/** Reads the tree of a statement that the guard has accepted. */
export function readShape(tree: unknown): StatementShape {
  const reader = new ShapeReader();
  reader.readQuery(asFields(tree).SelectStmt, { parent: undefined, ctes: new Set() });
  const count = Math.max(0, ...listParams(tree));
  return { levels: reader.levels, params: Array.from({ length: count }, (_, i) => reader.params.get(i + 1)) };
}

interface Place {
  parent: number | undefined;
  /** Names of WITH that can be used here. */
  ctes: ReadonlySet<string>;
}

interface Building extends Level {
  sources: Source[];
  conditions: Condition[];
  choices: (readonly Condition[])[];
  joins: Join[];
  order: OrderKey[];
  used: ColumnName[] | undefined;
}

interface Here extends Place {
  index: number;
  level: Building;
}

class ShapeReader {
  readonly levels: Building[] = [];
  /** The keys are their numbers. */
  readonly params = new Map<number, ParamUse>();

  /** Returns the place of the level, if the query is one. */
  readQuery(node: unknown, place: Place): Here | undefined {
    if (node === undefined) return undefined;
    const select = asFields(node);
    const inside = this.#readWith(select.withClause, place);
    if (select.larg !== undefined) {
      this.readQuery(select.larg, inside);
      this.readQuery(select.rarg, inside);
      return undefined;
    }
    const level: Building = {
      parent: place.parent,
      sources: [],
      conditions: [],
      choices: [],
      joins: [],
      order: [],
      hasLimit: select.limitCount !== undefined,
      used: [],
    };
    const here: Here = { ...inside, level, index: this.levels.push(level) - 1 };
    for (const item of asList(select.fromClause)) this.#readFrom(item, here);
    this.#readCondition(select.whereClause, here);
    this.#readOrder(select, here);
    for (const part of ['targetList', 'whereClause', 'groupClause', 'havingClause', 'sortClause', 'distinctClause', 'fromClause'])
      this.#collectColumns(select[part], here);
    for (const part of ['targetList', 'havingClause', 'groupClause', 'sortClause']) this.#readSubqueries(select[part], here);
    this.#readExtreme(select, here);
    for (const part of ['targetList', 'whereClause', 'havingClause', 'fromClause']) this.#collectParams(select[part], here.index);
    for (const number of [...listParams(select.limitCount), ...listParams(select.limitOffset)]) this.params.set(number, 'count');
    return here;
  }

  #readWith(clause: unknown, place: Place): Place {
    const ctes = new Set(place.ctes);
    for (const item of asList(asFields(clause ?? {}).ctes)) {
      const { ctename, ctequery } = asFields(asFields(item).CommonTableExpr);
      this.readQuery(asFields(ctequery).SelectStmt, { parent: undefined, ctes: new Set(ctes).add(String(ctename)) });
      ctes.add(String(ctename));
    }
    return { parent: place.parent, ctes };
  }

  #readFrom(item: unknown, here: Here): void {
    const { RangeVar, JoinExpr, RangeSubselect } = asFields(item);
    if (RangeVar !== undefined) this.#addTable(asFields(RangeVar), here);
    else if (JoinExpr !== undefined) this.#readJoin(asFields(JoinExpr), here);
    else if (RangeSubselect !== undefined) {
      const { subquery, lateral, alias } = asFields(RangeSubselect);
      here.level.sources.push({ alias: readAlias(alias) ?? '', table: undefined });
      const parent = lateral === true ? here.index : here.parent;
      this.readQuery(asFields(subquery).SelectStmt, { parent, ctes: here.ctes });
    } else here.level.sources.push({ alias: readAlias(getInner(item).alias) ?? '', table: undefined });
  }

  #addTable({ schemaname, relname, alias }: Fields, { level, ctes }: Here): void {
    const name = String(relname);
    const schema = typeof schemaname === 'string' ? schemaname : undefined;
    const isCte = schema === undefined && ctes.has(name);
    level.sources.push({ alias: readAlias(alias) ?? name, table: isCte ? undefined : { schema, name } });
  }

  #readJoin({ larg, rarg, quals, usingClause }: Fields, here: Here): void {
    const before = here.level.sources.length;
    this.#readFrom(larg, here);
    const middle = here.level.sources.length;
    this.#readFrom(rarg, here);
    this.#readCondition(quals, here);
    const left = here.level.sources[middle - 1] ?? here.level.sources[before];
    const right = here.level.sources[middle];
    for (const part of asList(usingClause)) {
      const name = readText(part);
      if (name === undefined || left === undefined || right === undefined) continue;
      here.level.joins.push({ left: { qualifier: left.alias, name }, right: { qualifier: right.alias, name } });
    }
  }

  /** Conditions that all rows of the result have met. */
  #readCondition(node: unknown, here: Here): void {
    if (node === undefined) return;
    const { BoolExpr, SubLink } = asFields(node);
    const { boolop, args } = asFields(BoolExpr ?? {});
    if (boolop === 'AND_EXPR') for (const arg of asList(args)) this.#readCondition(arg, here);
    else if (boolop === 'OR_EXPR') this.#readChoice(asList(args), here);
    else if (SubLink !== undefined) this.#readSubLink(asFields(SubLink), here);
    else this.#readLeaf(node, here);
    if (SubLink === undefined && boolop !== 'AND_EXPR') this.#readSubqueries(node, here);
  }

  #readLeaf(node: unknown, { level }: Here): void {
    const join = readJoin(node);
    if (join !== undefined) level.joins.push(join);
    else level.conditions.push(...readConditions(node));
  }

  /** An OR can use an index for each of its arms, if each has one. */
  #readChoice(args: readonly unknown[], { level }: Here): void {
    const arms = args.map((arg) => {
      const { boolop, args: parts } = asFields(asFields(arg).BoolExpr ?? {});
      const [first] = (boolop === 'AND_EXPR' ? asList(parts) : [arg]).flatMap(readConditions);
      return first;
    });
    const found = arms.filter((arm) => arm !== undefined);
    if (found.length === args.length) level.choices.push(found);
  }

  /** `x IN (SELECT y …)` compares the columns; EXISTS has its comparison inside. */
  #readSubLink({ subselect, testexpr, operName, subLinkType }: Fields, here: Here): void {
    const query = asFields(subselect).SelectStmt;
    const inner = this.readQuery(query, { parent: here.index, ctes: here.ctes });
    if (subLinkType !== 'ANY_SUBLINK' || (operName !== undefined && readLast(operName) !== '=')) return;
    const target = asFields(asFields(asList(asFields(query).targetList)[0] ?? {}).ResTarget ?? {});
    const outside = readColumn(testexpr);
    const inside = readColumn(target.val);
    if (outside !== undefined && inside !== undefined) inner?.level.joins.push({ left: inside, right: outside });
  }

  /** Subqueries anywhere in an expression. */
  #readSubqueries(node: unknown, here: Here): void {
    if (typeof node !== 'object' || node === null) return;
    const { SubLink } = Array.isArray(node) ? {} : asFields(node);
    if (SubLink !== undefined) this.#readSubLink(asFields(SubLink), here);
    else for (const part of Object.values(node)) this.#readSubqueries(part, here);
  }

  #readOrder({ sortClause, targetList }: Fields, { level }: Here): void {
    for (const item of asList(sortClause)) {
      const { node, sortby_dir } = asFields(asFields(item).SortBy);
      const column = readColumn(findTarget(node, asList(targetList)) ?? node);
      if (column === undefined) return;
      level.order.push({ column, descending: sortby_dir === 'SORTBY_DESC' });
    }
  }

  /** `max(x)` alone is the first of an order. */
  #readExtreme({ targetList, groupClause }: Fields, { level }: Here): void {
    if (asList(targetList).length !== 1 || groupClause !== undefined || level.order.length > 0) return;
    const { FuncCall } = asFields(asFields(asFields(asList(targetList)[0]).ResTarget).val ?? {});
    const call = asFields(FuncCall ?? {});
    const name = readLast(call.funcname);
    const column = readColumn(asList(call.args)[0]);
    if ((name !== 'max' && name !== 'min') || column === undefined) return;
    level.order.push({ column, descending: name === 'max' });
    level.hasLimit = true;
  }

  /** Those that are compared with a column of this level. */
  #collectParams(node: unknown, level: number): void {
    if (typeof node !== 'object' || node === null) return;
    for (const [kind, fields] of Object.entries(node)) {
      if (kind === 'SubLink' || kind === 'RangeSubselect') continue;
      if (kind === 'A_Expr') this.#addParams(asFields(fields), level);
      this.#collectParams(fields, level);
    }
  }

  #addParams({ kind, lexpr, rexpr }: Fields, level: number): void {
    const column = readColumn(lexpr) ?? readColumn(rexpr);
    if (column === undefined) return;
    for (const side of [lexpr, rexpr].flatMap(listOperands)) {
      const { ParamRef } = asFields(side);
      const { number } = asFields(ParamRef ?? {});
      if (typeof number !== 'number' || this.params.has(number)) continue;
      this.params.set(number, { level, column, isList: kind === 'AEXPR_OP_ANY' && side === rexpr });
    }
  }

  /** With those of subqueries, which may be of this level. */
  #collectColumns(node: unknown, { level }: Here): void {
    if (typeof node !== 'object' || node === null || level.used === undefined) return;
    if (Array.isArray(node)) {
      for (const part of node) this.#collectColumns(part, { level } as Here);
      return;
    }
    for (const [kind, fields] of Object.entries(node)) {
      if (kind !== 'ColumnRef') this.#collectColumns(fields, { level } as Here);
      else if (asList(asFields(fields).fields).some((part) => readText(part) === undefined)) level.used = undefined;
      else {
        const column = readColumn(node);
        if (column !== undefined) level.used?.push(column);
      }
      if (level.used === undefined) return;
    }
  }
}

function readAlias(alias: unknown): string | undefined {
  const name = alias === undefined ? undefined : asFields(alias).aliasname;
  return typeof name === 'string' ? name : undefined;
}

/** `ORDER BY 2`, or by the name of an output column. */
function findTarget(node: unknown, targets: readonly unknown[]): unknown {
  const place = asFields(asFields(asFields(node).A_Const ?? {}).ival ?? {}).ival;
  const column = readColumn(node);
  const found = targets.map((target) => asFields(asFields(target).ResTarget));
  if (typeof place === 'number') return found[place - 1]?.val;
  if (column === undefined || column.qualifier !== undefined) return undefined;
  return found.find(({ name }) => name === column.name)?.val;
}
