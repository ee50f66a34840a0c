/**
 * Removes secrets from every text that leaves the process. Values become known when they are resolved (`rememberSecret`);
 * patterns catch those that never passed through us, for example in a URL that a driver repeats in its error.
 */

const shortest = 6;
const mark = '[secret]';
const known = new Set<string>();
let knownPattern: RegExp | undefined;

const patterns: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mark],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@/]+@/gi, `$1:${mark}@`],
  [/\b(authorization\s*[:=]\s*(?:basic|bearer|apikey)?\s*)[^\s,;"']+/gi, `$1${mark}`],
  [/\b(password|passwd|pwd|passphrase)(["']?\s*[=:]\s*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,;&)}"']+)/gi, `$1$2${mark}`],
];

/** Makes a value known, so that it is removed in every encoding it may appear in. Short values cannot be told from text. */
export function rememberSecret(value: string): void {
  if (value.length < shortest) return;
  const before = known.size;
  for (const form of encodings(value)) if (form.length >= shortest) known.add(form);
  if (known.size !== before) knownPattern = undefined;
}

/** The text without known secrets and without what looks like one. */
export function redact(text: string): string {
  let result = text;
  if (known.size > 0) {
    knownPattern ??= alternation(known);
    result = result.replace(knownPattern, mark);
  }
  for (const [pattern, replacement] of patterns) result = result.replace(pattern, replacement);
  return result;
}

/** For tests: a secret of one test must not change the text of the next. */
export function forgetSecrets(): void {
  known.clear();
  knownPattern = undefined;
}

function encodings(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

/** Longest first, so that a secret that contains another one is removed whole. */
function alternation(values: Iterable<string>): RegExp {
  const escaped = [...values].sort((a, b) => b.length - a.length).map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(escaped.join('|'), 'g');
}
