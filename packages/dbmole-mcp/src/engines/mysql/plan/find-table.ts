const words = /(?:`(?:[^`]|``)+`|"(?:[^"]|"")+"|[\p{L}\p{N}_$.])+|\S/gu;

/** A plan names a table by its alias; the table is the name in front of that in the statement. */
export function findTable(name: string, sql: string): string {
  const tokens = sql.match(words) ?? [];
  const at = tokens.findIndex(
    (token, index) => token === name && /^(?:from|(?:straight_)?join|,|\()$/i.test(tokens[index - 2] ?? ''),
  );
  if (at > 0 && /^[\p{L}_`"]/u.test(tokens[at - 1] ?? '')) return tokens[at - 1] ?? name;
  const behindAs = tokens.findIndex((token, index) => token === name && /^as$/i.test(tokens[index - 1] ?? ''));
  return behindAs > 1 ? (tokens[behindAs - 2] ?? name) : name;
}
