const widest = 130;

/** Two spaces, and a list of plain values in one line where it fits: as the formatter of this repository writes it. */
export function formatJson(value: unknown): string {
  return `${format(value, '')}\n`;
}

function format(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const line = `[${value.map((one) => JSON.stringify(one)).join(', ')}]`;
    if (value.every((one) => typeof one !== 'object') && indent.length + line.length < widest - 40) return line;
    return `[\n${value.map((one) => inner + format(one, inner)).join(',\n')}\n${indent}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${inner}${JSON.stringify(key)}: ${format(field, inner)}`);
  return `{\n${fields.join(',\n')}\n${indent}}`;
}
