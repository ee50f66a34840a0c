/** Space and comments, in one way only: a text can be long. Comments that MySQL and MariaDB run are none. */
const skipped = String.raw`(?:\s|(?:--|#)[^\n]*(?:\n|$)|/\*(?!M?!)(?:[^*]|\*(?!/))*\*/)*`;

/** Finds statements that begin with these words, in upper or lower case, whatever comments stand in front of them. */
export function beginning(words: string): RegExp {
  return new RegExp(`^${skipped}(?:${words})`, 'i');
}
