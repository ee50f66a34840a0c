import { createGrammar } from '../../../statement/grammar.ts';
import { placeholders } from '../values/placeholders.ts';

export const grammar = createGrammar({
  space: String.raw`(?:\s|(?:--|#)[^\n]*(?:\n|$)|/\*(?!M?!)(?:[^*]|\*(?!/))*\*/)*`,
  // MariaDB has blocks that begin with BEGIN NOT ATOMIC.
  transaction: String.raw`begin(?!\s+not\b)|start\s+transaction|commit|rollback|savepoint|release`,
  session: String.raw`use|lock|prepare|handler|set|create\s+(?:or\s+replace\s+)?temporary`,
  staying: /\bset\s+(?:password|default\s+role)\b|\b(?:global|persist|persist_only)\b/i,
  unplanned: 'explain|analyze|describe|desc|show',
  definition: 'alter|create|drop|truncate|optimize|rename',
  changing: 'insert|replace|update|delete',
  name: /^(?:[\p{L}\p{N}_$.]|"[^"]*"|`[^`]*`)+/u,
  placeholders,
  literals: {
    namesInDoubleQuotes: false,
    backticks: true,
    dollarQuotes: false,
    hashComments: true,
    dashesNeedBlank: true,
    nestedComments: false,
    prefixes: /^[bnx]$/i,
    escapePrefix: undefined,
    // The `sql_mode` decides: the usual one, NO_BACKSLASH_ESCAPES, ANSI_QUOTES.
    modes: [
      { single: true, double: true },
      { single: false, double: false },
      { single: true, double: false },
    ],
  },
});
