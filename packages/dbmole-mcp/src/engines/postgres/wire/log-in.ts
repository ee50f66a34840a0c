import { Failure } from '@dbmole/core';
import pg from 'pg';
import { listSchemas } from '../../../connection/schema.ts';
import type { SessionTarget } from '../../../engine.ts';
import type { Conversation } from './conversation.ts';
import { parseText, parseTexts, ServerError } from './messages.ts';
import { protocolFailure, type WireListener } from './wire-filter.ts';

/** The driver authenticates; then we speak to the server ourselves. Resolves when it is ready for a query. */
export async function logIn(conversation: Conversation, target: SessionTarget): Promise<void> {
  const connection = new LogInConnection(conversation);
  const client = new LogInClient(connection, target);
  // It goes on listening to the stream, and an error without a listener would be an uncaught exception.
  client.on('error', () => {});
  conversation.listen(connection);
  await client.connect();
  conversation.listen();
}

/** The driver's client, but free of what the environment says to other programs (PGOPTIONS and the like). */
class LogInClient extends pg.Client {
  readonly #startup: Record<string, string>;

  constructor(connection: LogInConnection, { config, database = config.database }: SessionTarget) {
    const { user, password } = config;
    // `connection` is missing in the published types. A password that is missing is only missed when the server asks for it.
    const settings: pg.ClientConfig & { connection: unknown } = { user, ssl: false, sslnegotiation: 'postgres', connection };
    super({ ...settings, password: () => (typeof password === 'string' && password !== '' ? password : missingPassword()) });
    const path = config.schema === undefined ? {} : { search_path: formatSearchPath(config.schema) };
    this.#startup = { user, database: database ?? user, application_name: 'dbmole-mcp', ...path };
  }

  /** Called by the driver. */
  getStartupConf(): Record<string, string> {
    return this.#startup;
  }
}

/**
 * A parameter of the login is the default of the session: what the cleaning after each call goes back to, and what the guard, which
 * asks the server for the path, takes into account.
 */
function formatSearchPath(schemas: string): string {
  return listSchemas(schemas)
    .map((name) => `"${name}"`)
    .join(', ');
}

function missingPassword(): never {
  throw new Failure('auth', 'the server asks for a password and none is configured', {
    hint: 'Set `password` in the connection.',
  });
}

/** The driver's connection over a stream that is open already. Its data comes from our filter. */
class LogInConnection extends pg.Connection implements WireListener {
  readonly #conversation: Conversation;
  #accepted = false;
  /** SCRAM has begun, and the server has not proved yet that it knows the password. */
  #isUnproved = false;

  constructor(conversation: Conversation) {
    super({ stream: () => conversation.stream });
    this.#conversation = conversation;
  }

  /** Called by the driver, which listens for the events afterwards. */
  connect(): void {
    this.stream.on('error', (error) => this.emit('error', error));
    this.stream.on('close', () => this.emit('end'));
    queueMicrotask(() => this.emit('connect'));
  }

  shape(): undefined {
    return undefined;
  }

  row(): void {}

  message(type: string, body: Buffer): void {
    if (type === 'R') this.#authenticate(body);
    else if (type === 'E') this.emit('errorMessage', new ServerError(body));
    else if (type === 'Z') this.#beReady(body);
    else if (type === 'S' || type === 'K') this.#conversation.note(type, body);
    else if (type !== 'N' && type !== 'v') throw protocolFailure();
  }

  #beReady(body: Buffer): void {
    if (this.#isUnproved) throw unprovedFailure();
    if (!this.#accepted) throw protocolFailure();
    this.emit('readyForQuery', { status: parseText(body) });
  }

  #authenticate(body: Buffer): void {
    const kind = body.readUInt32BE(0);
    const data = body.subarray(4);
    const isScram = kind >= 10 && kind <= 12;
    if (this.#isUnproved && !isScram) throw unprovedFailure();
    this.#isUnproved = isScram && kind !== 12;
    if (kind === 0) this.#accepted = true;
    else if (kind === 3) this.emit('authenticationCleartextPassword', {});
    else if (kind === 5) this.emit('authenticationMD5Password', { salt: Buffer.from(data) });
    else if (kind === 10) this.emit('authenticationSASL', { mechanisms: parseTexts(data).filter((name) => name !== '') });
    else if (kind === 11) this.emit('authenticationSASLContinue', { data: data.toString() });
    else if (kind === 12) this.emit('authenticationSASLFinal', { data: data.toString() });
    else this.emit('error', unsupported(kind));
  }
}

/** The driver checks the proof when it comes, but would do without one. */
function unprovedFailure(): Failure {
  return new Failure('auth', 'the server did not prove that it knows the password', {
    hint: 'Check `host`, `port` and `tls`: another server may be answering.',
  });
}

function unsupported(kind: number): Failure {
  const name = new Map([
    [2, 'Kerberos'],
    [7, 'GSSAPI'],
    [9, 'SSPI'],
  ]).get(kind);
  return new Failure(
    'auth',
    `unsupported login method ${name ?? kind}: expected a password (SCRAM, MD5, plain) or a certificate`,
    {
      hint: 'Use an account with a password or a certificate.',
    },
  );
}
