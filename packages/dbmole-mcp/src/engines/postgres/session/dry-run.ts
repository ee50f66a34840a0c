import { Failure } from '@dbmole/core/failure';
import type { Checker } from '../guard/checker.ts';
import { findCallDenial } from '../guard/denials.ts';
import { openParser, type Parser, ParserError } from '../guard/thread/parser.ts';
import { positionAt } from '../guard/tree/position.ts';
import type { Fields } from '../guard/tree/walk.ts';

/** What a read may not call although it leaves nothing behind when the call has ended. */
const leavesNothing =
  /^(?:lo_(?!export)|lowrite$|pg_(?:try_)?advisory_|pg_notify$|pg_read_|pg_ls_|pg_stat_file$|pg_hba_|pg_ident_|set_config$|setseed$|(?:table|schema)_to_xml|xpath(?:_exists)?$)/;

/** Statements that only write down what they call, and columns that get a default for later rows. */
const definitions: ReadonlySet<unknown> = new Set([
  'AlterPolicyStmt',
  'CreateDomainStmt',
  'CreateFunctionStmt',
  'CreatePolicyStmt',
  'CreateStmt',
  'CreateTrigStmt',
  'PrepareStmt',
  'RuleStmt',
  'ViewStmt',
  'AT_ColumnDefault',
]);

/** The guard thread uses this: an accepted dry run has no premise. */
export function createDryRunChecker(): Checker {
  return {
    async check(sql) {
      checkDryRun(sql, await openParser());
      return { premise: '', leavesState: false };
    },
    checkWrite: async () => undefined,
    forget: () => undefined,
  };
}

/**
 * Throws for a statement that a rollback would not take back, as far as its text tells: what functions, triggers and defaults do is
 * not followed. A text that is not in our grammar is left to the server.
 */
export function checkDryRun(sql: string, parser: Parser): void {
  const pending: Fields[] = parseAll(sql, parser);
  for (let node = pending.pop(); node !== undefined; node = pending.pop())
    for (const [kind, fields] of readParts(node)) {
      if (definitions.has(kind) || definitions.has(fields.subtype)) continue;
      const effect = findEffect(kind, fields);
      if (effect !== undefined) throw noDryRunFailure(effect, { position: readPosition(sql, fields) });
      pending.push(fields);
    }
}

function* readParts(node: Fields): Iterable<[kind: string, fields: Fields]> {
  for (const [kind, part] of Object.entries(node))
    for (const fields of Array.isArray(part) ? part : [part]) if (isFields(fields)) yield [kind, fields];
}

function parseAll(sql: string, parser: Parser): Fields[] {
  try {
    return parser.parse(sql).map((statement) => ({ ...statement }));
  } catch (error) {
    if (error instanceof ParserError) return [];
    throw noDryRunFailure('the statement is too long or nested too deeply to check');
  }
}

function findEffect(kind: string, fields: Fields): string | undefined {
  if (kind === 'CheckPointStmt') return 'CHECKPOINT acts on the whole server';
  if (kind === 'LoadStmt') return 'LOAD changes the process of the server';
  if (kind === 'VacuumStmt' && fields.is_vacuumcmd !== true) return 'ANALYZE changes numbers of the table in place';
  if (kind === 'CopyStmt' && fields.filename !== undefined) return 'COPY uses a file or a program of the server';
  if (Array.isArray(fields.funcname)) return findCallEffect(fields.funcname.map(readText), fields.args);
  // `(x).f` can be a call of f.
  if (kind !== 'A_Indirection' || !Array.isArray(fields.indirection)) return undefined;
  return fields.indirection.map((part) => findCallEffect([readText(part)], [part])).find((effect) => effect !== undefined);
}

function findCallEffect(parts: readonly string[], args: unknown): string | undefined {
  const name = parts.at(-1) ?? '';
  const use = { schema: parts.at(-2), name, at: -1, args: Array.isArray(args) ? args.length : 0, isNamed: false };
  const denial = leavesNothing.test(name) ? undefined : findCallDenial(use);
  return denial === undefined ? undefined : `${name}() ${denial.reason}`;
}

function readText(part: unknown): string {
  const text = isFields(part) && isFields(part.String) ? part.String.sval : undefined;
  return typeof text === 'string' ? text : '';
}

function readPosition(sql: string, { location }: Fields): number | undefined {
  return typeof location === 'number' && location >= 0 ? positionAt(sql, location) : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

interface NoDryRunDetails {
  engineCode?: string;
  position?: number | undefined;
}

export function noDryRunFailure(why: string, details: NoDryRunDetails = {}): Failure {
  return new Failure('refused', `a dry run is not possible: ${why}`, {
    code: 'E_NO_DRY_RUN',
    hint: 'Run it without the dry run if that is intended; it takes effect at once.',
    ...details,
  });
}
