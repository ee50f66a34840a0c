/**
 * Removes secrets from every text that leaves the process. Values become known when they are resolved (`rememberSecret`);
 * patterns catch those that never passed through us, for example in a URL that a driver repeats in its error.
 */

const shortest = 6;
/** Lines of a long secret are known by themselves from this length on. */
const shortestLine = 32;
const mark = '[secret]';
const remembered = new Set<string>();
let longest = 0;
/** A form may be many times as long as a key; nobody looks further than this for one. */
const widestLook = 4_096;
/** Every form of every secret, by its first characters; longest first, so that one that contains another is removed whole. */
const known = new Map<string, string[]>();
/** Marks, by a hash of two characters, where a form may begin: nearly every place in a text is passed over by this alone. */
const beginnings = new Uint8Array(4_096);

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

/** Makes a value known, so that it is removed in every encoding it may appear in. Short values cannot be told from text. */
export function rememberSecret(value: string): void {
  if (value.length < shortest || remembered.has(value)) return;
  remembered.add(value);
  const lines = value.split(/\r?\n/).filter((line) => line.length >= shortestLine && !line.startsWith('-----'));
  for (const form of [value, ...lines].flatMap(encodings)) if (form.length >= shortest) rememberForm(form);
}

function rememberForm(form: string): void {
  longest = Math.max(longest, form.length);
  const start = form.slice(0, shortest);
  const forms = known.get(start) ?? [];
  if (forms.includes(form)) return;
  known.set(
    start,
    [...forms, form].sort((a, b) => b.length - a.length),
  );
  beginnings[beginningAt(form, 0)] = 1;
}

function beginningAt(text: string, index: number): number {
  return (text.charCodeAt(index) * 31 + text.charCodeAt(index + 1)) & 0xfff;
}

/** The text without the secrets of this process. For data: what only looks like a secret there is a value, and values are exact. */
export function redactKnown(text: string): string {
  if (known.size === 0) return text;
  const parts: string[] = [];
  let shown = 0;
  for (let index = 0; index <= text.length - shortest; ) {
    const form = beginnings[beginningAt(text, index)] === 1 ? formAt(text, index) : undefined;
    if (form === undefined) index += 1;
    else {
      parts.push(text.slice(shown, index), mark);
      index += form.length;
      shown = index;
    }
  }
  return shown === 0 ? text : parts.join('') + text.slice(shown);
}

/** How much more of a text one has to know to see whether a secret crosses the end of what is shown. */
export function longestSecret(): number {
  return Math.min(longest, widestLook);
}

/** Like `slice`, but a secret that one of the edges cuts in two is not shown in halves, which put together would be the whole. */
export function sliceKnown(text: string, from: number, to: number): string {
  if (known.size === 0) return text.slice(from, to);
  const first = secretAcross(text, from);
  const last = secretAcross(text, to);
  const start = Math.min(first?.end ?? from, to);
  const end = Math.max(last?.start ?? to, start);
  return `${first ? mark : ''}${text.slice(start, end)}${last && last.start >= start ? mark : ''}`;
}

function secretAcross(text: string, edge: number): { start: number; end: number } | undefined {
  if (edge <= 0 || edge >= text.length) return undefined;
  for (let start = Math.max(0, edge - longestSecret()); start < edge; start += 1) {
    const form = beginnings[beginningAt(text, start)] === 1 ? formAt(text, start) : undefined;
    if (form !== undefined && start + form.length > edge) return { start, end: start + form.length };
  }
  return undefined;
}

/** Not one large regular expression: secrets that are too long or too many for it would make it throw, with all of them in the message. */
function formAt(text: string, index: number): string | undefined {
  return known.get(text.slice(index, index + shortest))?.find((form) => text.startsWith(form, index));
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
  known.clear();
  longest = 0;
  beginnings.fill(0);
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

function encodings(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  // Half a surrogate pair cannot be encoded; it leaves the process as the replacement character, in every form.
  const whole = bytes.toString('utf8');
  const json = JSON.stringify(whole).slice(1, -1);
  return [
    value,
    whole,
    ...urlForms(whole),
    json,
    JSON.stringify(json).slice(1, -1),
    whole.replaceAll("'", "''"),
    whole.replace(/[\\'"]/g, '\\$&'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64Forms(bytes),
  ];
}

/** Those who encode for a URL differ in what they leave as it is. */
function urlForms(text: string): string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const url = new URL('http://user@host');
  url.password = text;
  const parameter = new URLSearchParams({ v: text }).toString().slice(2);
  const forms = [component, strict, strict.replaceAll('%2F', '/'), encodeURI(text), url.password, parameter];
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/**
 * In base64 a text looks different after one or two other bytes, as a password does behind `user:`. These are the characters
 * that depend on the secret alone, for each of the three positions.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    return [padded.toString('base64').slice(from, to), padded.toString('base64url').slice(from, to)];
  });
}
