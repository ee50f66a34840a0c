import { parseNotice } from '../wire/messages.ts';

/** What the server said. `code` is the SQLSTATE. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: string;
  readonly fatal: boolean;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  /** Where in the text that was sent; in characters, counted from 1. */
  readonly position: number | undefined;
  /** The server's own function that raised it: unlike the message it is the same in every language. */
  readonly routine: string | undefined;

  constructor(body: Buffer) {
    const fields = parseNotice(body);
    super(fields.get('M') ?? 'the server reported an error without a text');
    this.code = /^[0-9A-Z]{5}$/.exec(fields.get('C') ?? '')?.[0] ?? '';
    // V is the untranslated severity, S its translation.
    this.fatal = (fields.get('V') ?? fields.get('S')) !== 'ERROR';
    this.detail = fields.get('D');
    this.hint = fields.get('H');
    const position = Number(fields.get('P'));
    this.position = position > 0 ? position : undefined;
    this.routine = fields.get('R');
  }
}
