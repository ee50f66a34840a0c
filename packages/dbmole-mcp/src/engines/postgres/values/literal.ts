/** Safe in SQL that is parsed before our settings apply: a role may have `standard_conforming_strings` off. */
export function formatLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}
