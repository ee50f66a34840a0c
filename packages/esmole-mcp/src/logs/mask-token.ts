/** What takes the place of a part that varies. */
export const wildcard = '<*>';

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const email = /^[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+$/;
const run = /[A-Za-z0-9]+/g;
const amount = /^\d+(ns|us|ms|s|m|h|d|b|k|kb|mb|gb|tb|kib|mib|gib)$/i;
const hex = /^(?:0x)?[0-9a-f]{4,}$/i;
const neighbors = /<\*>(?:[-+:.,/TZ%]{0,2}<\*>)+/g;
const negative = /(?<=[_=:])-(<\*>)/g;
/** Words after which three digits are a status, which says more than any other number. */
const beforeStatus = /^(?:https?\/[\d.]+|status|status_?code|code|response|http)$/i;
const status = /^[1-5]\d\d$/;
/** Longer ones are rarely written by a person. */
const maxWord = 60;
/** A letter or more with fewer digits behind may be a name: `http2`, `sda1`, `s3`. */
const minSerialDigits = 3;
const minIdLength = 12;

/** A word of a line, with the parts replaced that are numbers, times, addresses or ids. Takes time linear in its length. */
export function maskToken(token: string, previous: string): string {
  if (token.length > maxWord && !token.includes('/') && !token.includes('.')) return wildcard;
  if (email.test(token)) return wildcard;
  if (!/\d/.test(token)) return token;
  if (status.test(token) && beforeStatus.test(previous)) return token;
  return token.replace(uuid, wildcard).replace(run, maskRun).replace(neighbors, wildcard).replace(negative, '$1');
}

function maskRun(text: string): string {
  if (!/\d/.test(text)) return text;
  const [, unit] = amount.exec(text) ?? [];
  if (unit !== undefined) return `${wildcard}${unit}`;
  if (/^\d/.test(text) || hex.test(text) || text.length >= minIdLength) return wildcard;
  const [, letters = '', digits = ''] = /^([A-Za-z]+)(\d+)$/.exec(text) ?? [];
  return digits.length >= minSerialDigits ? `${letters}${wildcard}` : text;
}
