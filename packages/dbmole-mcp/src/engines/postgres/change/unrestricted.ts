type Fields = Readonly<Record<string, unknown>>;

/** Whether a condition names no column, so that it holds for all rows or for none: none at all, `true`, `1 = 1`, `id = id`. */
export function isUnrestricted(node: unknown): boolean {
  if (node === undefined || node === null) return true;
  const [[kind, part] = ['', {}]] = Object.entries(node);
  const fields = part as Fields;
  if (kind === 'BoolExpr') {
    const args = Array.isArray(fields.args) ? fields.args : [];
    if (fields.boolop === 'OR_EXPR') return args.some(isUnrestricted);
    if (fields.boolop === 'AND_EXPR') return args.every(isUnrestricted);
  }
  if (kind === 'A_Expr' && comparesItself(fields)) return true;
  return !namesColumn(node);
}

function namesColumn(root: unknown): boolean {
  for (const [kind, part] of listParts(root)) {
    if (kind === 'CurrentOfExpr') return true;
    // `exists (select * from u)` depends on no column.
    if (kind === 'ColumnRef' && !JSON.stringify(part).includes('"A_Star"')) return true;
  }
  return false;
}

/** Every named part of a tree, in no particular order; `skips` says which are not entered. */
export function* listParts(root: unknown, skips: (kind: string) => boolean = () => false): Iterable<[string, unknown]> {
  const pending: unknown[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [kind, part] of Object.entries(node)) {
      if (skips(kind)) continue;
      yield [kind, part];
      pending.push(part ?? '');
    }
  }
}

/** Operators that hold for a value and itself. */
const reflexive: ReadonlySet<unknown> = new Set(['=', '<=', '>=']);

function comparesItself({ kind, name, lexpr, rexpr }: Fields): boolean {
  const operator = /"sval":"([^"]*)"/.exec(JSON.stringify(name ?? ''))?.[1];
  return kind === 'AEXPR_OP' && reflexive.has(operator) && lexpr !== undefined && writePlain(lexpr) === writePlain(rexpr);
}

/** The tree without its places in the text. */
function writePlain(node: unknown): string {
  return JSON.stringify(node, (key, value: unknown) => (key === 'location' ? undefined : value));
}
