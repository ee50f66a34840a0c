import { type SecretRef, secretRef } from '../../../connection.ts';
import { Failure } from '../../../failure.ts';
import { expandText } from '../../../registry/secrets/expand.ts';
import { isOpReference } from '../../../registry/secrets/op-reference.ts';
import { resolveSecret } from '../../../registry/secrets/secrets.ts';

/** A shorter token could be guessed. */
const minLength = 16;
const expected = 'expected a reference such as {"env": "NAME"}, {"file": "/path"}, op://vault/item/field or ${NAME}';

export interface TokenReferenceOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  home: string;
}

/** The token that `--token` refers to. A person wrote the reference, so it may name a command. */
export async function resolveToken(text: string, { env, cwd, home }: TokenReferenceOptions): Promise<string> {
  const token = await resolveSecret(parseReference(text, env), {
    env,
    home,
    base: cwd,
    connection: '',
    field: 'token',
    subject: 'the option --token',
    origin: { kind: 'option', where: '--token' },
  });
  const isShort = token.length < minLength;
  if (!isShort && /^[A-Za-z0-9._~+/=-]+$/.test(token)) return token;
  const problem = isShort ? `is shorter than ${minLength} characters` : 'has characters that a bearer token may not have';
  throw new Failure('secret', `the token that --token refers to ${problem}`, {
    hint: `Use at least ${minLength} letters, digits or ._~+/=-, such as the output of \`openssl rand -hex 32\`.`,
  });
}

function parseReference(text: string, env: NodeJS.ProcessEnv): SecretRef {
  const isCommand: boolean = isOpReference(text);
  if (isCommand) return { command: ['op', 'read', '--no-newline', text] };
  if (text.trimStart().startsWith('{')) return parseObject(text);
  const { text: value, variables, unset, malformed } = expandText(text, env);
  if (variables.length === 0 || malformed) throw invalid('a token must not be written on the command line');
  if (unset.length > 0) throw invalid(`the variable ${unset[0]} in --token is not set`);
  return value;
}

function parseObject(text: string): SecretRef {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('the value of --token is not valid JSON');
  }
  const parsed = secretRef.safeParse(value);
  // A reference to a file of other programs needs the connection that it is for.
  if (parsed.success && typeof parsed.data !== 'string' && !('from' in parsed.data)) return parsed.data;
  throw invalid('the value of --token is not a reference to a secret');
}

function invalid(what: string): Failure {
  return new Failure('input', `${what}: ${expected}`, { hint: 'Leave it out to use the token that serve made.' });
}
