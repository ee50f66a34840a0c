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
