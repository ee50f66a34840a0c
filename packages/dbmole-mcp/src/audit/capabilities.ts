/** What an account could do beyond reading if only its rights decided. */
export interface Capabilities {
  /** The worst first. Each goes on from "This account can also": `write to 2 tables (orders, customers)`. */
  readonly powers: readonly string[];
  /** Whether the server answered everything that this needs. */
  readonly complete: boolean;
  /** Whole sentences: what could not be looked up, and what else the person should know. */
  readonly notes: readonly string[];
  /** Statements that make an account which only reads, in lines that can be pasted. */
  readonly reader: readonly string[];
  /** Statements that revoke from every account what this one has because all have it. Other programs may need that. */
  readonly shared: readonly string[];
}

/** The placeholder in statements for values that are unknown here. */
export const passwordPlaceholder = '<password>';

const maxNames = 3;
const maxNameLength = 48;

/** `2 tables (a, b)`, `12 tables (a, b, c, …)`. The names are the first of all. */
export function formatCounted(count: number, [one, many]: readonly [string, string], names: readonly string[]): string {
  const listed = formatNames(names, count);
  return `${count} ${count === 1 ? one : many}${listed === '' ? '' : ` (${listed})`}`;
}

/** `a, b, c, …` */
export function formatNames(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, maxNames).map(shorten);
  return (count > shown.length ? [...shown, '…'] : shown).join(', ');
}

function shorten(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name;
}
