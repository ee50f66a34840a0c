/**
 * Removes secrets from every text that leaves the process. Values become known when they are resolved (`rememberSecret`);
 * patterns catch those that never passed through us, for example in a URL that a driver repeats in its error.
 */

import { secretForms } from './secret-forms.ts';
import { SecretMatcher, type Span, shortestForm } from './secret-matcher.ts';

/** Lines of a long secret are known by themselves from this length on. */
const shortestLine = 32;
const mark = '[secret]';
const remembered = new Set<string>();
let matcher = new SecretMatcher();
/** A form may be many times as long as a key; nothing looks further back than this for the beginning of one. */
const widestLook = 4_096;

/**
 * The text may be a megabyte that a stranger chose, so nothing here may look far ahead from many places: what repeats is
 * bounded, or cannot cross the beginning of the next match.
 */
const patterns: readonly [RegExp, string][] = [
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    mark,
  ],
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"'<>]{0,256}):[^\s/"'<>]{1,1024}@/gi, `$1:${mark}@`],
  [
    /\b(authorization\\?["']?[ \t]{0,8}[:=][ \t]{0,8}\\?["']?(?:(?:basic|bearer|apikey|digest|negotiate|token)[ \t]{1,8})?)[^\s,;"'\\]+/gi,
    `$1${mark}`,
  ],
  [namedValue(), `$1${mark}`],
];

/** Makes a value known, so that it is removed in every form it may appear in. Short values cannot be told from text. */
export function rememberSecret(value: string): void {
  if (value.length < shortestForm || remembered.has(value)) return;
  remembered.add(value);
  const lines = value.split(/\r?\n/).filter((line) => line.length >= shortestLine && !line.startsWith('-----'));
  for (const text of [value, ...lines]) for (const form of secretForms(text)) matcher.add(form);
}

/** The text without the secrets of this process. For data: what only looks like a secret there is a value, and values are exact. */
export function redactKnown(text: string): string {
  let found = matcher.find(text, 0);
  if (!found) return text;
  const parts: string[] = [];
  let shown = 0;
  for (; found; found = matcher.find(text, shown)) {
    parts.push(text.slice(shown, found.start), mark);
    shown = found.end;
  }
  return parts.join('') + text.slice(shown);
}

/** How much more of a text one has to know to see whether a secret crosses the end of what is shown. */
export function longestSecret(): number {
  return Math.min(matcher.longest, widestLook);
}

/** Like `slice`, but a secret that one of the edges cuts in two is not shown in halves, which put together would be the whole. */
export function sliceKnown(text: string, from: number, to: number): string {
  if (matcher.longest === 0) return text.slice(from, to);
  const first = secretAcross(text, from);
  const last = secretAcross(text, to);
  const start = Math.min(first?.end ?? from, to);
  const end = Math.max(last?.start ?? to, start);
  return `${first ? mark : ''}${text.slice(start, end)}${last && last.start >= start ? mark : ''}`;
}

function secretAcross(text: string, edge: number): Span | undefined {
  if (edge <= 0 || edge >= text.length) return undefined;
  let found = matcher.find(text, Math.max(0, edge - longestSecret()), edge);
  while (found && found.end <= edge) found = matcher.find(text, found.start + 1, edge);
  return found;
}

/** The text without known secrets and without what looks like one. For everything that is not data: errors, logs, our own words. */
export function redact(text: string): string {
  let result = redactKnown(text);
  for (const [pattern, replacement] of patterns) result = result.replace(pattern, replacement);
  return result;
}

/** For tests: a secret of one test must not change the text of the next. */
export function forgetSecrets(): void {
  remembered.clear();
  matcher = new SecretMatcher();
}

/** `password=…`, `"password": "…"`, `PGPASSWORD='…'`, and the same inside a JSON string with its quotes escaped. */
function namedValue(): RegExp {
  const names = 'password|passwd|passphrase|pwd|api[_-]?key|secret[_-]?(?:access[_-]?)?key|client[_-]?secret|access[_-]?token';
  const doubleQuoted = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
  const singleQuoted = "'[^'\\\\]*(?:\\\\.[^'\\\\]*)*'";
  const escapedQuoted = '\\\\+["\'][^"\']*["\']?';
  const bare = '[^\\s,;&)}"\']+';
  const assigned = '\\\\?["\']?\\s{0,8}[=:]\\s{0,8}';
  return new RegExp(`((?:${names})${assigned})(?:${doubleQuoted}|${singleQuoted}|${escapedQuoted}|${bare})`, 'gi');
}
