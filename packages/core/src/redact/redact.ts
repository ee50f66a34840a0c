/**
 * Removes secrets from every text that leaves the process. Values become known when they are resolved (`rememberSecret`);
 * patterns catch those that never passed through us, for example in a URL that a driver repeats in its error.
 */

import { secretForms } from './secret-forms.ts';
import { SecretMatcher, type Span, shortestForm } from './secret-matcher.ts';

/** Replaces a secret. */
const secretMark = '[secret]';

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
const patterns: readonly [RegExp, string][] = [
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

/** Lines of a long secret are known by themselves from this length on. */
const shortestLine = 32;
const remembered = new Set<string>();
const spared = new Set<string>();
/** A form may be many times as long as a key; nothing looks further back than this for the beginning of one. */
const maxLookAround = 4_096;

/**
 * How a secret is distinguished from other text. A long or odd one is removed wherever it is. A short one of letters and digits could be a piece of
 * another word, so it has to be a whole one. An ordinary word may appear anywhere, above all in a schema: it is removed from
 * data alone, and where it is a whole value there.
 */
const matchers = {
  anywhere: new SecretMatcher(),
  words: new SecretMatcher(isWholeWord),
  values: new SecretMatcher(isWholeValue),
};
/** The limits for words in mixed case and in one case: longer ones are hardly ever names. */
const maxMixedWordLength = 15;
const maxWordLength = 23;
const shortestToken = 12;

/** Whether it could be a name or a word of a text. */
export function isOrdinaryWord(secret: string): boolean {
  const isOneCase = secret === secret.toLowerCase() || secret === secret.toUpperCase();
  return secret.length <= (isOneCase ? maxWordLength : maxMixedWordLength) && /^[\p{L}_]+\d{0,4}$/u.test(secret);
}

type MatcherName = 'anywhere' | 'words' | 'values';

/** An encoding of any secret is like no other text. */
function classify(form: string, secret: string): MatcherName {
  const isPlain = form.toLowerCase() === secret.toLowerCase() || form.toUpperCase() === secret.toUpperCase();
  if (!isPlain) return 'anywhere';
  if (isOrdinaryWord(secret)) return 'values';
  return secret.length < shortestToken && /^[\p{L}\p{N}_]+$/u.test(secret) ? 'words' : 'anywhere';
}

/** Makes a value known, so that it is removed in every form it may appear in. Short values cannot be distinguished from text. */
export function rememberSecret(value: string): void {
  if (value.length < shortestForm || remembered.has(value)) return;
  remembered.add(value);
  const lines = value.split(/\r?\n/).filter((line) => line.length >= shortestLine && !line.startsWith('-----'));
  for (const text of [value, ...lines]) for (const form of secretForms(text)) matchers[classify(form, text)].add(form);
}

/**
 * Stops removing an ordinary word from data: it turned out to be a name of the schema, which says it in many places anyway. Every
 * other secret is removed as before.
 */
export function spareWord(word: string): void {
  if (!isOrdinaryWord(word) || spared.has(word)) return;
  spared.add(word);
  matchers.values = new SecretMatcher(isWholeValue);
  for (const secret of remembered) {
    if (spared.has(secret)) continue;
    for (const form of secretForms(secret)) if (classify(form, secret) === 'values') matchers.values.add(form);
  }
}

/** The text without the secrets of this process. For names: what only looks like a secret there is exact, and an ordinary word is a name. */
export function redactKnown(text: string): string {
  return replaceFound(matchers.words, replaceFound(matchers.anywhere, text));
}

/** The same for data, where an ordinary word that is a whole value may be the secret. */
export function redactData(text: string): string {
  return replaceFound(matchers.values, redactKnown(text));
}

function replaceFound(matcher: SecretMatcher, text: string): string {
  let found = matcher.find(text, 0);
  if (!found) return text;
  const parts: string[] = [];
  let shown = 0;
  for (; found; found = matcher.find(text, shown)) {
    parts.push(text.slice(shown, found.start), secretMark);
    shown = found.end;
  }
  return parts.join('') + text.slice(shown);
}

/** How much more of a text one has to know to see whether a secret crosses the end of what is shown. */
export function longestSecret(): number {
  return Math.min(Math.max(...Object.values(matchers).map(({ longest }) => longest)), maxLookAround);
}

/**
 * Slices like `slice`, but does not show the halves of a secret that an edge cuts in two, which put together would be the whole.
 */
export function sliceKnown(text: string, from: number, to: number): string {
  if (longestSecret() === 0) return text.slice(from, to);
  const first = secretAcross(text, from);
  const last = secretAcross(text, to);
  const start = Math.min(first?.end ?? from, to);
  const end = Math.max(last?.start ?? to, start);
  return `${first ? secretMark : ''}${text.slice(start, end)}${last && last.start >= start ? secretMark : ''}`;
}

function secretAcross(text: string, edge: number): Span | undefined {
  if (edge <= 0 || edge >= text.length) return undefined;
  const spans = Object.values(matchers).flatMap((matcher) => spanAcross(matcher, text, edge) ?? []);
  return spans.sort((a, b) => a.start - b.start)[0];
}

function spanAcross(matcher: SecretMatcher, text: string, edge: number): Span | undefined {
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

/** Only for tests: a secret of one test must not change the text of the next. */
export function forgetSecrets(): void {
  remembered.clear();
  spared.clear();
  matchers.anywhere = new SecretMatcher();
  matchers.words = new SecretMatcher(isWholeWord);
  matchers.values = new SecretMatcher(isWholeValue);
}

/** An escape of one character may end with a letter or a digit, and the word begins after it: `%40`, `\\n`, `\\u0022`. */
const escapeEnd = /(?:%[0-9a-f]{2}|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[0-7]{3}|[bfnrtv0]))$/i;
const maxEscapeLength = 6;
const wordUnit = /[\p{L}\p{N}\p{M}_]/u;

/** Whether no letter or digit goes on at either end. */
function isWholeWord(text: string, { start, end }: Span): boolean {
  return beginsWord(text, start) && !wordUnit.test(text.charAt(end));
}

function beginsWord(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - maxEscapeLength), start);
  return !wordUnit.test(before.slice(-1)) || escapeEnd.test(before);
}

const beforeValue = /[\n"'`=>]$|[:=] ?$|\\[nrt]$/;
const afterValue = /^(?:$|[\n\r"'`@,;&<)\]}\\])/;

/** Whether it is all of a text, of a quoted one or of a line, or follows a sign that gives a value to a name. */
function isWholeValue(text: string, { start, end }: Span): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  if (before !== '' && !beforeValue.test(before)) return false;
  return afterValue.test(text.slice(end, end + 1)) || (/[:=] ?$/.test(before) && /\s/.test(text.charAt(end)));
}

const shortestGood = 8;

/**
 * Why a password cannot be kept out of answers, one sentence each. A word that is among the names of the schema is no
 * longer removed from data: it would make the names of tables unreadable, and hide nothing.
 */
export function describePassword(password: unknown, names: Iterable<string> = []): string[] {
  if (typeof password !== 'string' || password === '') return [];
  const word = password.toLowerCase();
  const isName = isOrdinaryWord(password) && [...names].some((name) => name.toLowerCase() === word);
  if (isName) spareWord(password);
  const reason = findWeakness(password, isName);
  return reason === undefined
    ? []
    : [`warning: the password ${reason}, so it cannot be recognized in answers and removed from them; choose another one`];
}

function findWeakness(password: string, isName: boolean): string | undefined {
  if (isName) return 'is also a name in the database';
  if (password.length < shortestGood) return `is shorter than ${shortestGood} characters`;
  return isOrdinaryWord(password) ? 'is an ordinary word' : undefined;
}
