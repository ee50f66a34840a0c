import { type Scanner, UnreadableQuery } from './scanner.ts';

/** A slash belongs to a name where it begins no comment, as in <logs-{now/d}>. */
const separators = ':"=|,[]() \t\r\n';

/** Reads one item of the list after FROM. Quotes may contain several names, as a path may. */
export function readEsqlNames(scanner: Scanner): readonly string[] {
  scanner.skipBlanks();
  const { at } = scanner;
  if (scanner.isBehindComment) throw new UnreadableQuery('a comment before the name of an index', at);
  if (scanner.char === '"') return readQuoted(scanner);
  const first = readPlain(scanner);
  scanner.skipBlanks();
  if (scanner.text.startsWith('::', scanner.at)) return [`${first}::${readSelector(scanner)}`];
  if (!scanner.take(':')) return [first];
  scanner.skipBlanks();
  const rest = scanner.char === '"' ? readQuoted(scanner) : [readPlain(scanner)];
  scanner.skipBlanks();
  const selector = scanner.text.startsWith('::', scanner.at) ? `::${readSelector(scanner)}` : '';
  return rest.map((name) => `${first}:${name}${selector}`);
}

/** Whether a name of an index can begin here at all; after an opening parenthesis, FROM and TS may be fields as well. */
export function isAtName(scanner: Scanner): boolean {
  scanner.skipBlanks();
  const { char } = scanner;
  return char === '"' || (char !== '' && !separators.includes(char));
}

function readQuoted(scanner: Scanner): readonly string[] {
  const { at } = scanner;
  const { value } = scanner.next();
  if (value.includes('\\')) throw new UnreadableQuery('a backslash in the name of an index', at);
  return value.split(',');
}

/** Cuts names as clusters do, odd characters included; invalid names are refused where names are checked. */
function readPlain(scanner: Scanner): string {
  const { text, at: from } = scanner;
  let at = from;
  while (at < text.length && !separators.includes(text.charAt(at))) {
    const isSlash = text[at] === '/';
    if (isSlash && (at + 1 === text.length || '*/'.includes(text.charAt(at + 1)))) break;
    at += isSlash ? 2 : 1;
  }
  if (at === from) throw new UnreadableQuery('something other than the name of an index', from);
  scanner.at = at;
  const name = text.slice(from, at);
  // The first versions quoted names in this way; since then it is a character like others.
  const quoted = name.length > 2 && name.startsWith('`') && name.endsWith('`') ? name.slice(1, -1) : name;
  if (quoted.includes('`')) throw new UnreadableQuery('a backtick in the name of an index', from);
  return quoted;
}

function readSelector(scanner: Scanner): string {
  scanner.at += '::'.length;
  const { kind, value, at } = scanner.next();
  if (kind !== 'word') throw new UnreadableQuery('something other than data or failures after ::', at);
  return value;
}
