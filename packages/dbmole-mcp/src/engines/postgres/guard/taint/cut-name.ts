/** As the server cuts a name: at 63 bytes, without half of a character at the end. */
export function cutName(name: string): string {
  if (name.length <= 21) return name;
  const bytes = Buffer.from(name);
  let end = Math.min(bytes.length, 63);
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
