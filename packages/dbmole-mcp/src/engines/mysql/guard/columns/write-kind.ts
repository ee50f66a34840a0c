import { isName, noToken, type Token } from '../../../../statement/tokens.ts';

/** What a write means for protected columns. `other` cannot be traced. */
type WriteKind = 'rows' | 'definition' | 'view' | 'plan' | 'harmless' | 'other';

const byFirstWord: Readonly<Record<string, WriteKind>> = {
  INSERT: 'rows',
  REPLACE: 'rows',
  UPDATE: 'rows',
  DELETE: 'rows',
  SELECT: 'rows',
  WITH: 'rows',
  VALUES: 'rows',
  TABLE: 'rows',
  '(': 'rows',
  DROP: 'harmless',
  TRUNCATE: 'harmless',
  GRANT: 'harmless',
  REVOKE: 'harmless',
  RENAME: 'definition',
};
const maintenance: ReadonlySet<string> = new Set(['ANALYZE', 'OPTIMIZE', 'CHECK', 'REPAIR']);
const plans: ReadonlySet<string> = new Set(['EXPLAIN', 'DESCRIBE', 'DESC']);

export function readWriteKind(tokens: readonly Token[]): WriteKind {
  const { word } = tokens[0] ?? noToken;
  if (tokens.some((token) => token.word === ';')) return 'other';
  if (plans.has(word))
    return tokens.some((token, i) => token.word === 'FOR' && tokens[i + 1]?.word === 'CONNECTION') ? 'other' : 'plan';
  if (maintenance.has(word)) return isMaintenance(tokens) ? 'harmless' : 'other';
  if (word === 'CREATE' || word === 'ALTER') return readDefined(tokens);
  return Object.hasOwn(byFirstWord, word) ? (byFirstWord[word] ?? 'other') : 'other';
}

/** MariaDB's ANALYZE can also run a statement and show its plan. */
function isMaintenance(tokens: readonly Token[]): boolean {
  const second = tokens[1]?.word ?? '';
  return /^TABLES?$/.test(/^(?:LOCAL|NO_WRITE_TO_BINLOG)$/.test(second) ? (tokens[2]?.word ?? '') : second);
}

const options: ReadonlySet<string> = new Set([
  'OR',
  'REPLACE',
  'ONLINE',
  'OFFLINE',
  'IGNORE',
  'TEMPORARY',
  'UNIQUE',
  'FULLTEXT',
  'SPATIAL',
]);
/** Objects without code that runs later, as triggers have: that could not be traced. */
const harmless: ReadonlySet<string> = new Set(['DATABASE', 'SCHEMA', 'INDEX', 'USER', 'ROLE', 'SEQUENCE']);

function readDefined(tokens: readonly Token[]): WriteKind {
  let at = 1;
  for (let next = skipOption(tokens, at); next > at; next = skipOption(tokens, at)) at = next;
  const word = tokens[at]?.word ?? '';
  if (harmless.has(word)) return 'harmless';
  if (word === 'VIEW') return 'view';
  return word === 'TABLE' ? 'definition' : 'other';
}

/** The index behind what may come before the kind of an object, or the same index. */
function skipOption(tokens: readonly Token[], at: number): number {
  const [{ word } = noToken, next = noToken] = tokens.slice(at, at + 2);
  if (options.has(word)) return at + 1;
  if ((word === 'ALGORITHM' && next.word === '=') || (word === 'SQL' && next.word === 'SECURITY')) return at + 3;
  return word === 'DEFINER' && next.word === '=' ? skipAccount(tokens, at + 2) : at;
}

/** Skips `user`, `user@host` or `CURRENT_USER()`. */
function skipAccount(tokens: readonly Token[], from: number): number {
  const first = tokens[from] ?? noToken;
  if (!isName(first) && first.kind !== 'text') return tokens.length;
  const next = tokens[from + 1] ?? noToken;
  if (next.word === '(') return from + 3;
  if (next.kind === 'variable') return from + 2;
  return next.word === '@' ? from + 3 : from + 1;
}
