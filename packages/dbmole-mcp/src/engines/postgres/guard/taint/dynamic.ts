import { dynamicBuiltins } from '../denied-builtins.ts';
import { dynamicExtensions } from '../denied-extensions.ts';
import { type BodyUses, readBody } from './body.ts';
import { formatPieces, mentionsGiven, nameHole, type Piece, readPieces, type Variables } from './pieces.ts';
import { readArguments } from './token-list.ts';
import { type BodyToken, tokenize } from './tokens.ts';
import { isStatementStart, type Parameter, readExpression, readVariables, statementAround } from './variables.ts';

/**
 * What a body may run that is not in its text: nothing; whatever relation it is told the name of; anything at all.
 * In this order, so that the worst of several is the last.
 */
export const verdicts = ['fixed', 'names', 'anything'] as const;
export type Verdict = (typeof verdicts)[number];

export interface Dynamic {
  verdict: Verdict;
  /** It runs SQL that whoever calls it passes to it. */
  given: boolean;
  /** It puts a name where a column may be, `row.name`, which can be a call. */
  fields: boolean;
  /** What the statements that it puts together use, as far as they are known. */
  readonly known: BodyUses[];
}

/** Functions that run the SQL they get as a string. In a body they are as good as what they get. */
export const runners = new Set([
  'query_to_xml',
  'query_to_xmlschema',
  'query_to_xml_and_xmlschema',
  'ts_stat',
  'ts_rewrite',
  'crosstab',
  'crosstab2',
  'crosstab3',
  'crosstab4',
  'crosstabn',
  'connectby',
  'xpath_table',
]);

/** What these find at run time counts once there is something here that must not be found. */
export const finders: ReadonlySet<string> = new Set([...dynamicBuiltins, ...dynamicExtensions]);

/** Strings in arguments count as well: who calls the functions of a language that we do not read passes SQL to them. */
export function readDynamic(tokens: readonly BodyToken[], parameters: readonly Parameter[], anyField: boolean): Dynamic {
  const dynamic: Dynamic = { verdict: 'fixed', given: false, fields: false, known: [] };
  const known = { variables: readVariables(tokens, parameters), anyField };
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== 'word' && token.kind !== 'quoted') continue;
    if (token.text === 'execute' && isExecute(tokens, i)) judge(dynamic, readExpression(tokens, i + 1), known);
    else if (runners.has(token.text) && tokens[i + 1]?.text === '(') judgeCall(dynamic, tokens, i, known);
  }
  return dynamic;
}

interface Known {
  readonly variables: Variables;
  readonly anyField: boolean;
}

function judgeCall(dynamic: Dynamic, tokens: readonly BodyToken[], i: number, known: Known): void {
  for (const arg of readArguments(tokens, i + 1).args) judge(dynamic, arg, known);
  // A column of what the statement reads.
  if (dynamic.verdict === 'anything' && mentionsGiven(statementAround(tokens, i), known.variables)) dynamic.given = true;
}

function isExecute(tokens: readonly BodyToken[], i: number): boolean {
  const before = tokens[i - 1];
  return tokens[i]?.kind === 'word' && (before === undefined || isStatementStart(before));
}

function judge(dynamic: Dynamic, expression: readonly BodyToken[], { variables, anyField }: Known): void {
  const ways = readPieces(expression, variables);
  const grows = ways.flat().some((piece) => 'hole' in piece && piece.hole === 'self');
  for (const pieces of ways) {
    const { verdict, uses, fields } = judgePieces(pieces, { grows, anyField });
    dynamic.fields ||= fields === true;
    if (verdicts.indexOf(verdict) > verdicts.indexOf(dynamic.verdict)) dynamic.verdict = verdict;
    if (verdict === 'anything' && pieces.some((piece) => 'hole' in piece && piece.hole === 'given')) dynamic.given = true;
    if (uses !== undefined) dynamic.known.push(uses);
  }
}

/** A text that grows step by step is only known in pieces: the parenthesis of a call can be in the next one. */
function judgePieces(
  pieces: readonly Piece[],
  { grows, anyField }: { grows: boolean; anyField: boolean },
): { verdict: Verdict; uses?: BodyUses; fields?: boolean } {
  const text = formatPieces(pieces);
  if (text === undefined) return { verdict: 'anything' };
  const tokens = tokenize(text);
  const filled = pieces.some((piece) => 'hole' in piece);
  if (filled && tokens.some(({ kind, text }) => kind !== 'string' && runners.has(text))) return { verdict: 'anything' };
  const named = tokens.findIndex(isHole);
  const calls = tokens.some(
    (token, i) => isHole(token) && ['(', '.'].includes(tokens[i + 1]?.text ?? '') && callsAfter(tokens, i),
  );
  if (calls) return { verdict: 'anything' };
  const fields = tokens.some((token, i) => isHole(token) && tokens[i - 1]?.text === '.' && !isRelation(tokens, i));
  return {
    fields,
    verdict: named < 0 ? 'fixed' : 'names',
    uses: readBody(tokens, { code: true, comments: true, anyCall: grows, anyField, values: [nameHole] }),
  };
}

/** `%I(`, and `%I.%I(`. */
function callsAfter(tokens: readonly BodyToken[], i: number): boolean {
  const open = tokens[i + 1]?.text === '.' ? i + 3 : i + 1;
  return tokens[open]?.text === '(';
}

/** What a relation is named after. */
const relationWords = new Set(['from', 'join', 'only', 'table', 'into', 'update']);

/** `from schema.%I`; behind a comma it may be either. */
function isRelation(tokens: readonly BodyToken[], i: number): boolean {
  const before = tokens[i - 3];
  return before?.kind === 'word' && relationWords.has(before.text);
}

function isHole({ kind, text }: BodyToken): boolean {
  return kind === 'quoted' && text === nameHole;
}
