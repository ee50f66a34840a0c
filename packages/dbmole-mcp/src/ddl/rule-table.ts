/** One action of DDL, as a table of knowledge has it. */
export interface RuleEntry {
  /** `ADD COLUMN: volatile default`; what follows the colon distinguishes the cases of one action. */
  key: string;
  /** What is said of each version or product, in the order of the table: `18`, `MySQL 8.0.29`. */
  cases: readonly { name: string; value: string }[];
  notes: readonly string[];
  safer: readonly string[];
}

/** Reads a table that people write: a line for each action, and below it indented lines of the form `name: value`. */
export function parseRuleTable(text: string): ReadonlyMap<string, RuleEntry> {
  const entries = text
    .trim()
    .split(/\n(?=\S)/)
    .filter((entry) => !entry.startsWith('#'))
    .map(parseEntry);
  return new Map(entries.map((entry) => [entry.key, entry]));
}

function parseEntry(text: string): RuleEntry {
  const [key = '', ...lines] = text.trim().split('\n');
  const fields = lines.map((line) => {
    const at = line.indexOf(': ');
    return { name: line.slice(0, at).trim(), value: line.slice(at + 2).trim() };
  });
  const collect = (wanted: string) => fields.filter(({ name }) => name === wanted).map(({ value }) => value);
  return {
    key: key.trim(),
    cases: fields.filter(({ name }) => name !== 'note' && name !== 'safer'),
    notes: collect('note'),
    safer: collect('safer'),
  };
}

/** The key as it is shown, with the name of what it is about: `ADD COLUMN note (volatile default)`. */
export function formatAction(key: string, name: string | undefined): string {
  const [verb, detail] = key.split(': ');
  return [verb, name, detail === undefined ? undefined : `(${detail})`].filter((word) => word !== undefined).join(' ');
}
