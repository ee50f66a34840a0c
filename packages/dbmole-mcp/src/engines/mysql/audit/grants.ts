/** A line of SHOW GRANTS that grants rights. */
export interface Grant {
  /** Privileges in capitals, without columns. */
  privileges: readonly string[];
  level: 'server' | 'database' | 'table' | 'routine';
  /** The database; empty for rights on the server. */
  schema: string;
  name: string;
  /** The account may grant them to others. */
  passesOn: boolean;
}

/** The rights that SHOW GRANTS lists. A partial REVOKE is not subtracted. */
export interface Grants {
  grants: readonly Grant[];
  /** Roles, quoted as statements must write them. */
  roles: readonly string[];
}

export function parseGrants(lines: readonly string[]): Grants {
  const tokenized = lines.map((line) => line.match(tokenForm) ?? []).filter(([first]) => first === 'GRANT');
  const isOfRoles = (tokens: readonly string[]) => isQuoted(tokens[1] ?? '');
  return {
    grants: tokenized.filter((tokens) => !isOfRoles(tokens)).map(parseGrant),
    roles: tokenized.filter(isOfRoles).flatMap(parseRoles),
  };
}

/** A name in the quotes of the session's mode. */
const tokenForm = /`(?:[^`]|``)*`|"(?:[^"]|"")*"|'(?:[^'\\]|''|\\.)*'|\w+|\S/gs;

function isQuoted(token: string): boolean {
  return /^[`"']/.test(token);
}

/** `role`@`host`,`role` TO … */
function parseRoles(tokens: readonly string[]): string[] {
  return splitList(tokens.slice(1, tokens.indexOf('TO'))).map((parts) => parts.join(''));
}

const objectWords: ReadonlySet<string> = new Set(['TABLE', 'FUNCTION', 'PROCEDURE', 'PACKAGE', 'BODY', 'LIBRARY']);

function parseGrant(tokens: readonly string[]): Grant {
  const on = tokens.indexOf('ON');
  const privileges = parsePrivileges(tokens.slice(1, on));
  const passesOn = tokens.slice(-5).join(' ').includes('GRANT OPTION');
  if (privileges.includes('PROXY')) return { privileges, level: 'server', schema: '', name: '', passesOn };
  let at = on + 1;
  while (objectWords.has(tokens[at] ?? '') && tokens[at + 1] !== '.') at += 1;
  const isTable = at === on + 1 || tokens[at - 1] === 'TABLE';
  const [schema = '', name = ''] = [tokens[at], tokens[at + 2]].map((token) => unquote(token ?? ''));
  if (schema === '*') return { privileges, level: 'server', schema: '', name: '', passesOn };
  // The name of a whole database is a pattern.
  if (name === '*') return { privileges, level: 'database', schema: schema.replace(/\\([_%])/g, '$1'), name: '', passesOn };
  return { privileges, level: isTable ? 'table' : 'routine', schema, name, passesOn };
}

/** `SELECT, INSERT (a, b), LOCK TABLES` */
function parsePrivileges(tokens: readonly string[]): string[] {
  return splitList(tokens).map((words) => words.join(' ').toUpperCase());
}

/** Splits at commas outside of parentheses. */
function splitList(tokens: readonly string[]): string[][] {
  const list: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth > 0) continue;
    else if (token === ',') list.push([]);
    else list.at(-1)?.push(token);
  }
  return list;
}

function unquote(token: string): string {
  const [quote = ''] = token;
  return isQuoted(token) ? token.slice(1, -1).replaceAll(quote + quote, quote) : token;
}
