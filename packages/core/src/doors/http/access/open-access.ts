import { Failure } from '../../../failure.ts';
import type { Log } from '../../../log.ts';
import { type Authenticate, acceptAll, createTokenAuth } from '../authenticate.ts';
import type { TokenFile } from '../token-file.ts';

/** The options of the command line, as they were given. */
interface AccessOptions {
  token?: string | undefined;
  'no-token'?: boolean | undefined;
  auth?: string | undefined;
  issuer?: string | undefined;
  audience?: string | undefined;
}

interface AccessParts {
  /** The name of the program. */
  name: string;
  tokenFile: TokenFile;
  env: NodeJS.ProcessEnv;
  cwd: string;
  home: string;
  log: Log;
}

interface Access {
  authenticate: Authenticate;
  /** What a client needs, in a few words for the person who starts the server. */
  shown: string;
  /** What is served without authentication, by path. */
  documents: ReadonlyMap<string, () => object>;
  /** The names by which clients know the server. */
  hosts: readonly string[];
}

const closed = { documents: new Map<string, () => object>(), hosts: [] };

/** How clients prove who they are. */
export async function openAccess(options: AccessOptions, parts: AccessParts): Promise<Access> {
  refuseConflicts(options);
  const { name, tokenFile, log } = parts;
  if (options.auth !== undefined) return await openOauth(options, log);
  if (options['no-token']) {
    log('warn', 'without a token, every program and every user of this machine can use the connections');
    return { ...closed, authenticate: acceptAll, shown: 'no token' };
  }
  if (options.token !== undefined) {
    const { resolveToken } = await import('./token-reference.ts');
    const token = await resolveToken(options.token, parts);
    const advice = 'Ask the administrator of this server for it.';
    return {
      ...closed,
      authenticate: createTokenAuth({ realm: name, readToken: () => token, advice }),
      shown: 'token of --token',
    };
  }
  await tokenFile.ensure();
  const advice = `Run \`${name} serve --print-token\` to see the token.`;
  const authenticate = createTokenAuth({ realm: name, readToken: tokenFile.read, advice });
  return { ...closed, authenticate, shown: `token in ${tokenFile.path}` };
}

async function openOauth({ issuer, audience }: AccessOptions, log: Log): Promise<Access> {
  if (issuer === undefined || audience === undefined) {
    throw new Failure('input', '--auth oauth needs --issuer and --audience', {
      hint: 'Pass the URL of the issuer, and the URL of this server as clients know it.',
    });
  }
  const { createOauth } = await import('../oauth.ts');
  const oauth = createOauth({ issuer, audience, log });
  // The server starts anyway: the issuer may come up later, and tokens are refused until then.
  oauth.check().catch(() => undefined);
  return {
    authenticate: oauth.authenticate,
    shown: `tokens of ${issuer}`,
    documents: new Map(oauth.metadataPaths.map((path) => [path, oauth.metadata])),
    hosts: [new URL(audience).hostname],
  };
}

function refuseConflicts({ auth, token, issuer, audience, 'no-token': isFree }: AccessOptions): void {
  const hint = 'Choose one of --token, --no-token and --auth oauth.';
  if (auth !== undefined && auth !== 'oauth') {
    throw new Failure('input', `invalid --auth ${JSON.stringify(auth.slice(0, 40))}: expected oauth`, { hint });
  }
  const chosen = [token !== undefined && '--token', isFree && '--no-token', auth !== undefined && '--auth'].filter(Boolean);
  if (chosen.length > 1) throw new Failure('input', `${chosen.join(' and ')} exclude each other`, { hint });
  if (auth === undefined && (issuer ?? audience) !== undefined) {
    throw new Failure('input', '--issuer and --audience need --auth oauth', { hint: 'Add --auth oauth.' });
  }
}
