const maxStatementLength = 160;

/** A cell of the catalog as a number; undefined where the server had no value. */
export function readNumber(text: string | null | undefined): number | undefined {
  return text === null || text === undefined || text === '' ? undefined : Number(text);
}

export function readCount(text: string | null | undefined): number {
  return readNumber(text) ?? 0;
}

/** `3 d 4 h`, `12 min`, `45 s`, `0.3 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86_400) return formatTwo(seconds / 3_600, 'h', 60, 'min');
  return formatTwo(seconds / 86_400, 'd', 24, 'h');
}

function formatTwo(value: number, unit: string, parts: number, part: string): string {
  const whole = Math.floor(value);
  const rest = Math.floor((value - whole) * parts);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${part}`;
}

export function formatMilliseconds(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${Number(milliseconds.toFixed(milliseconds < 10 ? 1 : 0))} ms`
    : formatSeconds(milliseconds / 1_000);
}

export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The beginning of a statement on one line. */
export function formatStatement(statement: string | null | undefined): string {
  const line = (statement ?? '').replace(/\s+/gu, ' ').trim().replace(/;$/, '');
  const characters = [...line];
  return characters.length > maxStatementLength ? `${characters.slice(0, maxStatementLength).join('')}…` : line;
}

/** Joins the parts that say something. */
export function joinFacts(...facts: readonly (string | undefined | false)[]): string {
  return facts.filter((fact) => fact !== undefined && fact !== false && fact !== '').join(', ');
}
