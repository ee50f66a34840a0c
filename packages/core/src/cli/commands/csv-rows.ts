/** The records of our own CSV: quotes only where they are needed, and doubled inside. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/y;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const [, quoted, plain = '', end] = field.exec(text) ?? [undefined, undefined, text.slice(at), ''];
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end === ',' && field.lastIndex === text.length) rows.at(-1)?.push('');
    if (end !== ',' && field.lastIndex < text.length) rows.push([]);
  }
  return rows;
}
