import { UrlError } from '@dbmole/core';
import { parseConnectionUrl } from '../connection/connection-url.ts';

export interface TlsWords {
  /** The word of another program. */
  mode: string | undefined;
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
}

/** The field `tls`, when anything is said of it; or why it cannot be taken over. */
export function tlsFields({ mode: word, ca, cert, key }: TlsWords): { tls?: unknown } | string {
  const mode = word === undefined ? undefined : readMode(word);
  if (word !== undefined && mode === undefined) return 'has a TLS mode that is not known here';
  const files = { ...(ca && ca !== 'system' && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (Object.keys(files).length > 0) return { tls: { ...(mode !== undefined && { mode }), ...files } };
  return mode === undefined ? {} : { tls: mode };
}

/** The words are those of a URL. */
function readMode(word: string): string | undefined {
  try {
    return parseConnectionUrl(`postgres://host?tls=${encodeURIComponent(word)}`).tls;
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}
