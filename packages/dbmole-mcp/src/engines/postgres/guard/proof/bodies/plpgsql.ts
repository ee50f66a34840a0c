import type { Parser } from '../../thread/parser.ts';
import { asFields, type Fields } from '../../tree/walk.ts';
import { declareForParser, findKind, findNamesWithFields } from './declarations.ts';

/** The texts in a PL/pgSQL body that the server parses separately. */
export interface PlpgsqlParts {
  /** Complete SQL statements. */
  readonly statements: readonly string[];
  /** Expressions of EXECUTE and similar statements, whose value is the SQL to run. */
  readonly dynamic: readonly string[];
  /** The declared types of variables, as written. */
  readonly types: readonly string[];
}

/** The header of a function, without which its body does not parse. */
export interface Signature {
  readonly parameters: readonly { readonly name: string; readonly mode: string; readonly type: string }[];
  readonly returnsSet: boolean;
  readonly returnsVoid: boolean;
  readonly isProcedure: boolean;
  /** `trigger` or `event_trigger`, whose bodies have variables of their own. */
  readonly trigger?: string | undefined;
}

/** The parser's numbers for the kinds of expressions. */
const parseModes = { statement: 0, expression: 2, assignments: [3, 4, 5] };

/** Throws a ParserError for a body that the grammar does not have. */
export function readPlpgsql(body: string, signature: Signature, parser: Parser): PlpgsqlParts {
  const tokens = parser.scan(body).filter(({ tokenName }) => !tokenName.endsWith('_COMMENT'));
  const withFields = findNamesWithFields(tokens);
  const { text, types } = declareForParser(body, tokens, withFields);
  const parts: Parts = { statements: [], dynamic: [], types: [...types] };
  visitParts(parser.parsePlpgsql(formatFunction(text, signature, withFields)), parts, parser);
  return parts;
}

type Parts = { statements: string[]; dynamic: string[]; types: string[] };

interface Part {
  readonly value: unknown;
  /** The field that it is in. */
  readonly field: string;
}

/** Visits every expression in any field, so that none is missed in a later version of the parser. */
function visitParts(root: unknown, parts: Parts, parser: Parser): void {
  const pending: Part[] = [{ value: root, field: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, field } = next;
    if (Array.isArray(value)) for (const item of value) pending.push({ value: item, field: '' });
    else if (typeof value === 'object' && value !== null) visitNode(asFields(value), field, { pending, parts, parser });
  }
}

/** The fields with the text of EXECUTE, besides `dynquery`. */
const dynamicFields = new Set(['PLpgSQL_stmt_dynexecute.query', 'PLpgSQL_stmt_dynfors.query']);

function visitNode(node: Fields, field: string, to: { pending: Part[]; parts: Parts; parser: Parser }): void {
  for (const key in node) {
    const name = dynamicFields.has(`${field}.${key}`) || key === 'dynquery' ? 'dynamic' : key;
    if (key === 'PLpgSQL_expr') addExpression(asFields(node[key]), field === 'dynamic', to.parts, to.parser);
    else to.pending.push({ value: node[key], field: name });
    // A loop over a cursor declares its row implicitly.
    if (key === 'PLpgSQL_stmt_forc') to.parts.types.push('record');
  }
}

function addExpression({ query, parseMode }: Fields, isDynamic: boolean, parts: Parts, parser: Parser): void {
  const text = String(query);
  if (parseMode === parseModes.statement) parts.statements.push(text);
  else if (parseMode === parseModes.expression) {
    parts.statements.push(`select ${text}`);
    if (isDynamic) parts.dynamic.push(`select ${text}`);
  } else if (parseModes.assignments.includes(Number(parseMode))) parts.statements.push(...splitAssignment(text, parser));
  else throw new Error(`unknown parse mode ${parseMode}`);
}

/** `target := expression`, where the subscripts of the target are expressions as well. */
function splitAssignment(text: string, parser: Parser): readonly string[] {
  let depth = 0;
  for (const { text: token, start, end } of parser.scan(text)) {
    if (token === '[' || token === '(') depth++;
    if (token === ']' || token === ')') depth--;
    if (depth > 0 || (token !== ':=' && token !== '=')) continue;
    const bytes = Buffer.from(text);
    return [`select ${bytes.toString('utf8', 0, start)}`, `select ${bytes.toString('utf8', end)}`];
  }
  throw new Error('an assignment without an operator');
}

/** The parser knows no types, so each parameter gets a type that fits its use. */
function formatFunction(body: string, signature: Signature, withFields: ReadonlySet<string>): string {
  const parameters = signature.parameters.map(({ name, mode, type }) => {
    const direction = mode === 'o' || mode === 't' ? 'out ' : mode === 'b' ? 'inout ' : mode === 'v' ? 'variadic ' : '';
    const kind = findKind(type, withFields.has(name));
    return `${direction}${name === '' ? '' : quote(name)} ${kind}${mode === 'v' ? '[]' : ''}`;
  });
  const tag = findTag(body);
  const head = `${signature.isProcedure ? 'procedure' : 'function'} f(${parameters.join(', ')})`;
  return `create ${head}${formatResult(signature)} language plpgsql as ${tag}${body}${tag}`;
}

function formatResult({ parameters, returnsSet, returnsVoid, isProcedure, trigger }: Signature): string {
  if (trigger !== undefined) return ` returns ${trigger}`;
  const outputs = parameters.filter(({ mode }) => mode === 'o' || mode === 't' || mode === 'b').length;
  if (isProcedure) return '';
  if (outputs > 0) return returnsSet ? ` returns setof ${outputs === 1 ? 'int' : 'record'}` : '';
  if (returnsVoid) return ' returns void';
  return returnsSet ? ' returns setof some_row' : ' returns some_row';
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A dollar quote that does not occur in the text. */
function findTag(text: string): string {
  let tag = '$body$';
  while (text.includes(tag.slice(0, -1))) tag = `${tag.slice(0, -1)}x$`;
  return tag;
}
