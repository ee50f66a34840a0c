import { getInner, readLast, readText } from '../tree/node-parts.ts';
import { asFields, asList, type Fields } from '../tree/walk.ts';

/** The name that the server gives to a column of a select list; undefined where that is not followed. */
export function nameColumn(target: Fields): string | undefined {
  if (typeof target.name === 'string') return target.name;
  return nameExpression(target.val, 0);
}

const maxDepth = 20;

function nameExpression(node: unknown, depth: number): string | undefined {
  const [kind = ''] = Object.keys(asFields(node ?? {}));
  const fields = kind === '' ? {} : getInner(node);
  if (depth > maxDepth) return undefined;
  switch (kind) {
    case 'ColumnRef':
      return readLast(fields.fields);
    case 'FuncCall':
      return readLast(fields.funcname);
    case 'A_Indirection':
      return nameIndirection(fields, depth);
    case 'CollateClause':
      return nameExpression(fields.arg, depth + 1);
    case 'A_Const':
    case 'ParamRef':
    case 'A_Expr':
    case 'BoolExpr':
    case 'NullTest':
    case 'BooleanTest':
      return '?column?';
    default:
      return undefined;
  }
}

function nameIndirection({ arg, indirection }: Fields, depth: number): string | undefined {
  const names = asList(indirection).flatMap((step) => (asFields(step).String === undefined ? [] : (readText(step) ?? [])));
  return names.at(-1) ?? nameExpression(arg, depth + 1);
}
