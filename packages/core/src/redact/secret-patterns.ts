/** Replaces a secret. */
export const secretMark = '[secret]';

const secretNames =
  'password|passwd|passphrase|pwd|api[_-]?key|secret[_-]?(?:access[_-]?)?key|client[_-]?secret|access[_-]?token';
const quotedValue = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|\'[^\'\\\\]*(?:\\\\.[^\'\\\\]*)*\'|\\\\+["\'][^"\']*["\']?';
const bareValue = `[^\\s,;&)}"']+`;
/** A reference or a placeholder in angle brackets, which is not a value itself. */
const placeholder = '\\{\\s{0,8}\\\\?"|<[a-z][a-z _-]{0,40}>|\\$\\{|…';

/**
 * The text may be a megabyte that a stranger chose, so nothing here may look far ahead from many places: what repeats is
 * bounded, or cannot cross the beginning of the next match.
 */
export const patterns: readonly [RegExp, string][] = [
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    secretMark,
  ],
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"'<>]{0,256}):[^\s/"'<>]{1,1024}@/gi, `$1:${secretMark}@`],
  [
    /\b(authorization\\?["']?[ \t]{0,8}[:=][ \t]{0,8}\\?["']?(?:(?:basic|bearer|apikey|digest|negotiate|token)[ \t]{1,8})?)[^\s,;"'\\]+/gi,
    `$1${secretMark}`,
  ],
  [namedValue(), `$1${secretMark}`],
  [entryValue(), `$1${secretMark}`],
];

/** `password=…`, `"password": "…"`, `PGPASSWORD='…'`, and the same inside a JSON string with its quotes escaped. */
function namedValue(): RegExp {
  const close = '\\\\?["\']?';
  const closed = '\\\\?["\']\\s{0,8}:\\s{1,8}';
  const assigned = `${close}\\s{0,8}=\\s{0,8}|${close}\\s{0,8}:(?!\\s)|${close}\\s{0,8}:\\s{1,8}(?=\\\\?["'])|${closed}`;
  return new RegExp(`((?:${secretNames})(?:${assigned}))(?!${placeholder})(?:${quotedValue}|${bareValue})`, 'gi');
}

/**
 * `password: …`: a colon with a space behind it is also how a sentence goes on, so the name has to begin a line or an entry. A bracket
 * behind a space quotes what a caller wrote, as in `Failed to parse query [apiKey: foo]`.
 */
function entryValue(): RegExp {
  const name = `(?:^|[\\n{,]|(?<![ \\t])\\[)[ \\t]{0,8}[a-z0-9_-]{0,60}(?:${secretNames})[ \\t]{0,8}:[ \\t]{1,8}`;
  return new RegExp(`(${name})(?!${placeholder})${bareValue}`, 'gi');
}
