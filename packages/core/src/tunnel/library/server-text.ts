const limit = 500;
const escapeCharacter = String.fromCharCode(0x1b);
const terminalSequence = new RegExp(
  `${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${escapeCharacter}]*?(?:${String.fromCharCode(7)}|${escapeCharacter}\\\\))`,
  'g',
);

/**
 * Text of an SSH server (banner, refusal, prompt) as one harmless line. It is chosen by the server on that port, so it must
 * neither steer a terminal nor hide anything from the reader.
 */
export function cleanServerText(text: string): string {
  const line = text
    .replace(terminalSequence, '')
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}
