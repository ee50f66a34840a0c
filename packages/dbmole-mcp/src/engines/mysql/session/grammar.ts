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
});
