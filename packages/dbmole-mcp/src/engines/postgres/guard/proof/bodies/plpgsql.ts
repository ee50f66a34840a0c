import type { Parser } from '../../thread/parser.ts';
import { asFields, asList, type Fields } from '../../tree/walk.ts';
import { createMarks, declareForParser, findKind, findNamesWithFields, type Guesses, type Marks } from './declarations.ts';

/** The texts in a PL/pgSQL body that the server parses separately. */
export interface PlpgsqlParts {
  /** Complete SQL statements. */
  readonly statements: readonly string[];
  /** Expressions of EXECUTE and similar statements, whose value is the SQL to run. */
  readonly dynamic: readonly string[];
  /** The types of variables, as expressions: `null::mood`, or `orders.state%type` for a copied type. */
  readonly types: readonly string[];
  /** Copied types of which the parser gives the names without quotes, split at each dot. */
  readonly copied: readonly (readonly string[])[];
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

/** Throws for a body that the grammar does not have, or of which the parser does not show everything. */
export function readPlpgsql(body: string, signature: Signature, parser: Parser): PlpgsqlParts {
  const tokens = parser.scan(body).filter(({ tokenName }) => !tokenName.endsWith('_COMMENT'));
  const marks = createMarks(body);
  const guesses = { marks, withFields: findNamesWithFields(tokens) };
  const { quote } = marks;
  const text = `${formatHeader(signature, guesses)} as ${quote}${declareForParser(body, tokens, guesses)}${quote}`;
  const [one, ...others] = asList(asFields(parser.parsePlpgsql(text)).plpgsql_funcs);
  if (others.length > 0) throw new Error('several functions');
  const { datums } = asFields(asFields(one).PLpgSQL_function);
  // Parameters come first, then FOUND, and in triggers NEW and OLD.
  const variables = asList(datums).slice(signature.parameters.length + (signature.trigger === 'trigger' ? 3 : 1));
  const parts = { statements: [], dynamic: [], ...readTypes(variables.map(asFields), marks) };
  visitParts(one, { parts, parser, marks });
  return parts;
}

/** Throws unless it is known that no row has a default, which the parser omits. */
function readTypes(variables: readonly Fields[], marks: Marks): { types: string[]; copied: (readonly string[])[] } {
  // A row can only be in a list as the parameter of a cursor, which has no default.
  const lists = variables.flatMap(({ PLpgSQL_row: list }) => asList(asFields(list ?? {}).fields));
  const listed = new Set(lists.map((field) => asFields(field).varno));
  const types: string[] = [];
  const copied: (readonly string[])[] = [];
  for (const { PLpgSQL_var: scalar, PLpgSQL_rec: row } of variables) {
    const variable = asFields(scalar ?? row ?? {});
    const type = readType(variable) ?? (row === undefined ? undefined : 'record');
    const isMarked = type !== undefined && marks.types.includes(type);
    const hasDefault = row !== undefined && readType(variable) !== undefined && !isMarked && !listed.has(variable.dno);
    if (hasDefault) throw new Error('a row may have a default');
    if (isWrittenType(variable, marks)) types.push(readQuery(variable.default_val));
    else if (type !== undefined && !isMarked && variable.cursor_explicit_expr === undefined) addType(type);
  }
  return { types, copied };

  function addType(type: string): void {
    const [, source] = /^(.*)%(?:TYPE|rowtype)$/s.exec(type) ?? [];
    if (source === undefined) types.push(`null::${type}`);
    // The parser writes `"T"."A"%type` without quotes. What has blanks or a comment may be another type, as it was written.
    else if (/[\s"/-]/.test(source)) throw new Error(`unclear type ${type}`);
    else copied.push(source.split('.'));
  }
}

/** Undefined for the row that a loop over a cursor declares. */
function readType({ datatype }: Fields): string | undefined {
  const { typname } = asFields(asFields(datatype ?? {}).PLpgSQL_type ?? {});
  return typname === undefined ? undefined : String(typname);
}

/** Whether it was declared for the parser, with a type as its default. */
function isWrittenType(variable: Fields, { types, type }: Marks): boolean {
  return types.includes(readType(variable) ?? '') && String(variable.refname).startsWith(type);
}

function readQuery(expression: unknown): string {
  const { query } = asFields(asFields(expression).PLpgSQL_expr);
  return String(query);
}

interface Visit {
  readonly parts: { readonly statements: string[]; readonly dynamic: string[] };
  readonly parser: Parser;
  readonly marks: Marks;
}

interface Part {
  readonly value: unknown;
  /** The field that it is in. */
  readonly field: string;
}

/** Visits every expression in any field, so that none is missed in a later version of the parser. */
function visitParts(root: unknown, visit: Visit): void {
  const pending: Part[] = [{ value: root, field: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, field } = next;
    if (Array.isArray(value)) for (const item of value) pending.push({ value: item, field: '' });
    else if (typeof value === 'object' && value !== null) visitNode(asFields(value), { field, pending, visit });
  }
}

/** The fields with the text of EXECUTE, besides `dynquery`. */
const dynamicFields = new Set(['PLpgSQL_stmt_dynexecute.query', 'PLpgSQL_stmt_dynfors.query']);

function visitNode(node: Fields, { field, pending, visit }: { field: string; pending: Part[]; visit: Visit }): void {
  for (const key in node) {
    const name = dynamicFields.has(`${field}.${key}`) || key === 'dynquery' ? 'dynamic' : key;
    if (key === 'PLpgSQL_var' && isWrittenType(asFields(node[key]), visit.marks)) continue;
    if (key === 'PLpgSQL_expr') addExpression(asFields(node[key]), field === 'dynamic', visit);
    else pending.push({ value: node[key], field: name });
  }
}

function addExpression({ query, parseMode }: Fields, isDynamic: boolean, { parts, parser }: Visit): void {
  const text = String(query);
  if (parseMode === parseModes.statement) parts.statements.push(text);
  else if (parseMode === parseModes.expression) {
    parts.statements.push(`select ${text}`);
    if (isDynamic) parts.dynamic.push(`select ${text}`);
  } else if (parseModes.assignments.includes(Number(parseMode))) parts.statements.push(...splitAssignment(text, parser));
  else throw new Error(`unknown parse mode ${parseMode}`);
}

/**
 * `target := expression`, where the subscripts of the target are expressions as well. The target has an operator only in subscripts, and the
 * tokens are those of the parser.
 */
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
function formatHeader(signature: Signature, guesses: Guesses): string {
  const parameters = signature.parameters.map(({ name, mode, type }) => {
    const direction = mode === 'o' || mode === 't' ? 'out ' : mode === 'b' ? 'inout ' : mode === 'v' ? 'variadic ' : '';
    const kind = findKind(type, name, guesses);
    return `${direction}${name === '' ? '' : quote(name)} ${kind}${mode === 'v' ? '[]' : ''}`;
  });
  const head = `${signature.isProcedure ? 'procedure' : 'function'} f(${parameters.join(', ')})`;
  return `create ${head}${formatResult(signature)} language plpgsql`;
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
