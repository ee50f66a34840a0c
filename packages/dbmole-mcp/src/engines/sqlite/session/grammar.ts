import { createGrammar } from '../../../statement/grammar.ts';
import { placeholders } from '../values/placeholders.ts';

export const grammar = createGrammar({
  space: String.raw`(?:[\s\ufeff]|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*`,
  transaction: 'begin|commit|end|rollback|savepoint|release',
  session: String.raw`attach|detach|pragma|create\s+temp(?:orary)?`,
  unplanned: 'explain|pragma',
  definition: 'alter|create|drop|reindex|vacuum',
  changing: 'insert|replace|update|delete',
  name: /^(?:[\p{L}\p{N}_$.]|"[^"]*"|`[^`]*`|\[[^\]]*\])+/u,
  placeholders,
  literals: {
    namesInDoubleQuotes: true,
    backticks: true,
    dollarQuotes: false,
    hashComments: false,
    dashesNeedBlank: false,
    nestedComments: false,
    prefixes: /^x$/i,
    escapePrefix: undefined,
    modes: [{ single: false, double: false }],
  },
});
