import { createGrammar, startsWith } from '../../../statement/grammar.ts';
import { placeholders } from '../values/placeholders.ts';

const space = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*`;

export const grammar = createGrammar({
  space,
  // A transaction that was prepared elsewhere can be ended from here.
  transaction: String.raw`begin|start\s+transaction|commit(?!\s+prepared)|rollback(?!\s+prepared)|abort|end|savepoint|release`,
  session: String.raw`lock|listen|declare|prepare(?!\s+transaction)|set|create\s+(?:(?:local|global|or\s+replace)\s+)*temp(?:orary)?`,
  unplanned: 'explain|analy[sz]e|describe|desc|show',
  definition: 'alter|create|drop|truncate|reindex|cluster|vacuum|refresh|comment|lock',
  changing: 'insert|update|delete|merge',
  name: /^(?:[\p{L}\p{N}_$.]|"[^"]*")+/u,
  placeholders,
  literals: {
    namesInDoubleQuotes: true,
    backticks: false,
    dollarQuotes: true,
    hashComments: false,
    dashesNeedBlank: false,
    nestedComments: true,
    prefixes: /^[bnx]$/i,
    escapePrefix: /^e$/i,
    // `standard_conforming_strings` may be off.
    modes: [
      { single: false, double: false },
      { single: true, double: false },
    ],
  },
});

/** Finds statements that begin with these words, in upper or lower case. */
export const beginning = (words: string): RegExp => startsWith(space, words);
