/** What a parser of YAML or TOML gives is anything. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
