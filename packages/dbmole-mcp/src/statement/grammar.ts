import type { PlaceholderStyle, SqlGrammar, WriteKind } from '../engine.ts';
import type { LiteralStyle } from './mask-literals.ts';

/** How an engine writes what begins a statement. Each text is a part of a regular expression, which must match in one way only: a text can be long. */
interface GrammarWords {
  /** Space and comments. A comment that the engine runs is neither. */
  space: string;
  /** Statements that begin or end a transaction. */
  transaction: string;
  /** Statements that change nothing but the session. */
  session: string;
  /** A SET whose effect stays, for the whole server or for an account. */
  staying?: RegExp;
  /** Statements that have no plan, or ask for one themselves. */
  unplanned: string;
  /** Statements that define or maintain objects, whose effects `explain` describes. */
  definition: string;
  /** Statements that change rows, and nothing else. */
  changing: string;
  /** A name, perhaps quoted and qualified, from its beginning. */
  name: RegExp;
  placeholders: PlaceholderStyle;
  literals: LiteralStyle;
}

/** Finds statements that begin with these words, in upper or lower case, after space and comments. */
export function startsWith(space: string, words: string): RegExp {
  return new RegExp(`^${space}(?:${words})`, 'i');
}

export function createGrammar({ space, staying, name, placeholders, literals, ...words }: GrammarWords): SqlGrammar {
  const transaction = startsWith(space, String.raw`(${words.transaction})\b`);
  const session = startsWith(space, String.raw`(${words.session})\b`);
  const unplanned = startsWith(space, String.raw`(${words.unplanned})\b`);
  const definition = startsWith(space, String.raw`(?:${words.definition})\b`);
  const changing = startsWith(space, String.raw`(?:${words.changing})\b`);
  const structural = startsWith(space, String.raw`(?:alter|create|drop|comment|rename)\b`);
  const query = startsWith(space, String.raw`\(*\s*(?:select|with|table|values)\b`);
  const findWord = (pattern: RegExp, sql: string) => pattern.exec(sql)?.[1]?.toUpperCase().replace(/\s+/g, ' ');
  return {
    findTransactionWord: (sql) => findWord(transaction, sql),
    findUnplannedWord: (sql) => findWord(unplanned, sql),
    isDefinition: (sql) => definition.test(sql),
    readWriteKind: (sql): WriteKind => (changing.test(sql) ? 'dml' : structural.test(sql) ? 'ddl' : 'other'),
    isQuery: (sql) => query.test(sql),
    endsWithCall(sql) {
      const word = findWord(session, sql);
      return word !== undefined && !(word === 'SET' && staying?.test(sql));
    },
    placeholders,
    literals,
    readName: (sql, position) => name.exec(sql.slice(position - 1))?.[0],
  };
}
