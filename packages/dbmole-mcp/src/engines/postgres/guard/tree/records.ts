import { FromItems } from './from-items.ts';
import type { Records } from './names.ts';
import { isTypeNamed, readConstant } from './node-parts.ts';
import { asFields, type Fields, type Visited } from './walk.ts';

/** SortBy, because ORDER BY in WITHIN GROUP has the arguments of the aggregate. */
const takesRows = ['FuncCall', 'NamedArgExpr', 'A_Indirection', 'CaseWhen', 'SortBy'];
const takesNames = [...takesRows, 'A_Expr', 'List', 'SubLink'];
const castsRows = ['TypeCast', 'A_ArrayExpr'];

/** Collects where a statement uses rows of the type `record`. */
export class RecordUses {
  readonly #records: Records = { operands: new Set(), casts: new Set(), castsValues: false };
  readonly #operands = new Set<string>();
  readonly #casts = new Set<string>();
  #castsToRecord = false;

  /** `ROW(…)` as an argument, or behind a cast. */
  addRow({ parent, fields }: Visited): void {
    if (takesRows.includes(parent)) this.#records.operands.add(FromItems.notOfFunction);
    if (!castsRows.includes(parent)) return;
    this.#records.casts.add(FromItems.notOfFunction);
    this.#records.castsValues ||= !(Array.isArray(fields.args) && fields.args.every(isIntegerOrText));
  }

  /** `ROW(…)` as one of two operands: where both are rows, the server compares their fields. */
  addOperands({ lexpr, rexpr }: Fields): void {
    const operands = [lexpr, rexpr].flatMap(listOperands);
    const rows = operands.filter((operand) => asFields(operand).RowExpr !== undefined).length;
    if (rows > 0 && (rows < operands.length || rows === 1)) this.#records.operands.add(FromItems.notOfFunction);
  }

  /** A name that is a whole row if it is in FROM. */
  addName(name: string, parent: string): void {
    if (takesNames.includes(parent)) this.#operands.add(name);
    else if (castsRows.includes(parent)) this.#casts.add(name);
  }

  /** A row that is cast to `record` can be an operand afterwards. */
  addCast(type: unknown): void {
    this.#castsToRecord ||= isTypeNamed(type, 'record');
  }

  resolve(from: FromItems): Records {
    const { operands, casts } = this.#records;
    for (const name of this.#operands) addAll(operands, from.getRecords(name));
    for (const name of this.#casts) addAll(casts, from.getRecords(name));
    if (this.#castsToRecord) addAll(operands, casts);
    const castsValues = this.#records.castsValues || [...this.#casts].some((name) => from.getRecords(name) !== undefined);
    return { operands, casts, castsValues };
  }
}

function addAll(to: Set<string>, from: ReadonlySet<string> = new Set()): void {
  for (const name of from) to.add(name);
}

function listOperands(node: unknown): readonly unknown[] {
  if (node === undefined) return [];
  const { items } = asFields(asFields(node).List ?? {});
  return Array.isArray(items) ? items : [node];
}

function isIntegerOrText(node: unknown): boolean {
  const { ival, sval, isnull } = readConstant(node);
  return (ival ?? sval ?? isnull) !== undefined;
}
