/** `*` and `?` as everybody writes them, for LIKE with `\` as its escape; a text without either is a part of the name. */
export function formatLike(pattern: string): string {
  const wild = /[*?]/.test(pattern);
  const like = escapeLike(pattern).replaceAll('*', '%').replaceAll('?', '_');
  return wild ? like : `%${like}%`;
}

/** Any text that has this one in it. */
export function formatLikePart(text: string): string {
  return `%${escapeLike(text)}%`;
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
