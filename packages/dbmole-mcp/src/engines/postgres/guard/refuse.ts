import { Failure } from '@dbmole/core';
import { type Denial, denialOfRelation } from './denials.ts';
import type { CallUse, NameUse, StatementNames } from './names.ts';
import type { Parser, Token } from './parser.ts';
import { positionAt } from './position.ts';
import { definition, lockStrengths, refusals, spellings } from './refusals.ts';
import type { UnreadableNode } from './walk.ts';

interface Said {
  readonly message: string;
  readonly hint: string;
  readonly position: number | undefined;
  readonly cause?: unknown;
}

/** Every refusal looks the same: the construct, why it is no read, where it stands, and what to do instead. */
export function refusal({ message, hint, position, cause }: Said): Failure {
  return new Failure('refused', message, {
    code: 'E_NOT_A_READ',
    hint,
    cause,
    ...(position === undefined ? {} : { position }),
  });
}

/** For a node that a read may not have. */
export function refuseNode({ kind, fields }: UnreadableNode, sql: string, parser: Parser): Failure {
  const words = wordsOf(kind, fields);
  const { reason, hint } = refusals.get(kind) ?? definition;
  return refusal({ message: `${words} ${reason}`, hint, position: findWords(sql, words, parser) });
}

/** Throws for the first function or relation of the text that is denied by its name. */
export function refuseNames(names: StatementNames, denialOf: (use: CallUse) => Denial | undefined): void {
  const denied: { use: NameUse; subject: string; denial: Denial }[] = [];
  for (const use of names.functions) {
    const denial = denialOf(use);
    if (denial !== undefined) denied.push({ use, subject: `${use.name}()`, denial });
  }
  for (const use of names.relations) {
    const denial = denialOfRelation(use);
    if (denial !== undefined) denied.push({ use, subject: use.name, denial });
  }
  const [first] = denied.toSorted((a, b) => a.use.at - b.use.at);
  if (first !== undefined) {
    const { use, subject, denial } = first;
    const hint = denial.hint ?? 'Use `execute`, on a connection that is not readonly.';
    throw refusal({ message: `${subject} ${denial.reason}`, hint, position: names.positionOf(use) });
  }
}

/** `DropStmt` is DROP, `AlterTableStmt` is ALTER TABLE. */
function wordsOf(kind: string, fields: UnreadableNode['fields']): string {
  if (kind === 'TransactionStmt') return String(fields.kind).replace('TRANS_STMT_', '').replaceAll('_', ' ');
  if (kind === 'VacuumStmt' && fields.is_vacuumcmd !== true) return 'ANALYZE';
  if (kind === 'GrantStmt' && fields.is_grant !== true) return 'REVOKE';
  const words = kind.replace(/Stmt$/, '').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  return lockStrengths.get(String(fields.strength)) ?? spellings.get(kind) ?? words.toUpperCase();
}

/** Where the words stand one after the other, or else the first of them, or else the statement begins. */
function findWords(sql: string, words: string, parser: Parser): number | undefined {
  const tokens = parser.scan(sql).filter(({ tokenName }) => !tokenName.endsWith('_COMMENT'));
  const wanted = words.split(' ');
  const found = findRow(tokens, wanted) ?? findRow(tokens, wanted.slice(0, 1)) ?? tokens[0];
  return found === undefined ? undefined : positionAt(sql, found.start);
}

function findRow(tokens: readonly Token[], words: readonly string[]): Token | undefined {
  return tokens.find((_, index) => words.every((word, offset) => tokens[index + offset]?.text.toUpperCase() === word));
}
