import { UrlError } from '@dbmole/core';

export type TlsMode = 'auto' | 'disable' | 'require' | 'verify-ca' | 'verify-full';

/** Undefined: it makes no difference here. */
type Words = Readonly<Record<string, TlsMode | undefined>>;

/** The words of other programs for our `tls`. Where they would try TLS and then continue without it, the host decides. */
const modeWords: Words = {
  auto: 'auto',
  disable: 'disable',
  disabled: 'disable',
  allow: 'auto',
  prefer: 'auto',
  preferred: 'auto',
  require: 'require',
  required: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
  'verify-identity': 'verify-full',
};

/** Some programs check the certificate then and some do not; we do. */
const switchWords: Words = {
  true: 'verify-full',
  1: 'verify-full',
  '{"rejectunauthorized":true}': 'verify-full',
  false: 'disable',
};

interface Parameter {
  words: Words;
  /** The accepted values, for the error message. */
  known: string;
}

const modes: Parameter = { words: modeWords, known: 'disable, require, verify-ca, verify-full, auto' };

const parameters: Readonly<Record<string, Parameter>> = {
  sslmode: modes,
  'ssl-mode': modes,
  tls: modes,
  ssl: { words: switchWords, known: 'true, false' },
  // It protects against an attacker in between, and so does a certificate that is checked.
  channel_binding: {
    words: { require: 'verify-full', prefer: undefined, disable: undefined },
    known: 'require, prefer, disable',
  },
  gssencmode: { words: { prefer: undefined, disable: undefined }, known: 'prefer, disable' },
  sslrootcert: { words: { system: 'verify-full' }, known: 'system; a file is named in the field "tls"' },
  sslaccept: { words: { strict: 'verify-full' }, known: 'strict' },
};

export const tlsParameters: readonly string[] = Object.keys(parameters);

/** The strictest of several values counts. */
export function readTls(given: readonly (readonly [name: string, value: string])[]): TlsMode | undefined {
  const said = given.flatMap(([name, value]) => {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const mode = parameter === undefined ? undefined : readMode(name, value, parameter);
    return mode === undefined ? [] : [{ name, mode }];
  });
  const [first, ...others] = new Set(said.map(({ mode }) => mode));
  if (others.length === 0) return first;
  const strictest = pickStrictest(new Set([...others, first]));
  if (strictest !== undefined) return strictest;
  throw new UrlError(`its TLS parameters contradict each other (${said.map(({ name }) => name).join(', ')})`);
}

function readMode(name: string, value: string, { words, known }: Parameter): TlsMode | undefined {
  const word = value.toLowerCase().replaceAll('_', '-').replaceAll(' ', '');
  if (Object.hasOwn(words, word)) return words[word];
  throw new UrlError(`its ${name} must be one of ${known}`);
}

/** Undefined: they contradict each other. `auto` checks the certificate of a host that is not this machine, so only that is stricter. */
function pickStrictest(said: ReadonlySet<TlsMode | undefined>): TlsMode | undefined {
  if (said.has('disable')) return undefined;
  if (said.has('verify-full')) return 'verify-full';
  return said.has('auto') ? undefined : 'verify-ca';
}
