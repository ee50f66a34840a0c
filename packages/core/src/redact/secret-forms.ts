type Encode = (text: string) => string;

/**
 * The texts in which a secret may leave the process: quoted, in JSON, XML or a URL, and then in a cell of CSV; or its bytes.
 * Computed once for each secret. Comparing ignores case, so that it counts here only where it changes more than letters.
 */
export function secretForms(secret: string): Set<string> {
  const bytes = Buffer.from(secret, 'utf8');
  // Half a surrogate pair cannot be encoded; it leaves the process as the replacement character, in every form.
  const whole = bytes.toString('utf8');
  const cases = /[^\0-\x7f]/.test(whole) ? [whole.toUpperCase(), whole.toLowerCase()] : [];
  const texts = [whole, ...cases];
  const plain = texts.flatMap((text) => [text, ...jsonForms(text), ...xmlForms(text), ...urlForms(text)]);
  const quoted = texts.flatMap(quotedForms).flatMap((text) => [text, toJson(text), escapeEntities(text, plainEntities)]);
  const written = [...new Set([...plain, ...quoted])];
  const cells = written.filter((text) => text.includes('"')).map(double(/"/g));
  return new Set([secret, ...written, ...cells, bytes.toString('hex'), ...base64Forms(bytes)]);
}

function double(which: RegExp): Encode {
  return (text) => text.replace(which, '$&$&');
}

const quotings: readonly Encode[] = [
  ...[/'/g, /"/g, /`/g, /\\/g, /['\\]/g, /["\\]/g].map(double),
  ...[/[\\'"]/g, /[\\']/g, /[\\"]/g].map(
    (which): Encode =>
      (text) =>
        text.replace(which, '\\$&'),
  ),
  (text) => escapeBytes(text, /[^ -~]/g, 8),
  (text) => escapeBytes(text, /[\0\x80-\xff]/g, 8),
  (text) => escapeBytes(text, /[^ -~]/g, 16),
];

function quotedForms(text: string): string[] {
  return [...new Set(quotings.map((quote) => quote(text)))].filter((quoted) => quoted !== text);
}

/** `\303\274` or `\xc3\xbc`, as bytes are written that are not text. */
function escapeBytes(text: string, escaped: RegExp, radix: 8 | 16): string {
  const bytes = Buffer.from(text.replaceAll('\\', '\\\\'), 'utf8').toString('latin1');
  return bytes.replace(escaped, (byte) => {
    const digits = byte.charCodeAt(0).toString(radix);
    return radix === 8 ? `\\${digits.padStart(3, '0')}` : `\\x${digits.padStart(2, '0')}`;
  });
}

const toJson: Encode = (text) => JSON.stringify(text).slice(1, -1);

/** Those who write JSON differ in what they escape beside what they must; each also as a text inside other JSON. */
function jsonForms(text: string): string[] {
  const json = toJson(text);
  const ascii = escapeUnits(json, /[^\0-\x7e]/g);
  const forms = [
    ...[json, ascii].flatMap((one) => [one, one.replaceAll('/', '\\/')]),
    escapeUnits(json, /[<>&]/g),
    escapeUnits(json, /[<>&'=]/g),
    escapeUnits(json.replaceAll('\\"', '"'), /[<>&'"+`]|[^\0-\x7e]/g),
  ];
  return [...forms, ...forms.map(toJson)];
}

function escapeUnits(text: string, which: RegExp): string {
  return text.replace(which, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

type Entities = Readonly<Record<string, string>>;

const plainEntities: Entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#x0d;' };

/** What is escaped beside those, or otherwise. */
const entityStyles: readonly Entities[] = [
  {},
  { '"': '&quot;', '\t': '&#9;', '\n': '&#10;', '\r': '&#13;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&#x27;', '/': '&#x2F;' },
  { '"': '&#34;', "'": '&#39;' },
].map((style) => ({ ...plainEntities, ...style }));

function escapeEntities(text: string, entities: Entities): string {
  return text.replace(/[&<>"'/\t\n\r]/g, (char) => entities[char] ?? char);
}

/** Characters beyond ASCII are written as they are or as numbers; each form may also be a text inside JSON. */
function xmlForms(text: string): string[] {
  const named = entityStyles.map((style) => escapeEntities(text, style));
  const forms = [...new Set(named)].flatMap((form) => [
    form,
    escapePoints(form, (point) => `${point}`),
    escapePoints(form, (point) => `x${point.toString(16)}`),
    escapePoints(form, (point) => `x${point.toString(16).toUpperCase()}`),
  ]);
  return [...forms, ...forms.map(toJson)];
}

function escapePoints(text: string, format: (point: number) => string): string {
  return text.replace(/[^\0-\x7f]/gu, (char) => `&#${format(char.codePointAt(0) ?? 0)};`);
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
