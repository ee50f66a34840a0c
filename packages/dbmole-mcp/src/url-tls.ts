import { UrlError } from '@dbmole/core';
import type { TlsMode } from './tls.ts';

type Words = Readonly<Record<string, TlsMode>>;

/** The words of other programs for what we call `tls`. What they would try and then do without, we decide by the host. */
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
  /** For a person who wrote another one. */
  known: string;
}

const modes: Parameter = { words: modeWords, known: 'disable, require, verify-ca, verify-full, auto' };

const parameters: Readonly<Record<string, Parameter>> = {
  sslmode: modes,
  'ssl-mode': modes,
  tls: modes,
  ssl: { words: switchWords, known: 'true, false' },
  sslaccept: { words: { strict: 'verify-full' }, known: 'strict' },
};

export const tlsParameters: readonly string[] = Object.keys(parameters);

/** Of several that go together the strictest counts, whatever the others would be content with. */
export function tlsOf(given: readonly (readonly [name: string, value: string])[]): TlsMode | undefined {
  const said = given.flatMap(([name, value]) => {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return parameter === undefined ? [] : [{ name, mode: modeOf(name, value, parameter) }];
  });
  const [first, ...others] = new Set(said.map(({ mode }) => mode));
  if (others.length === 0) return first;
  const strictest = strictestOf(new Set([...others, first]));
  if (strictest !== undefined) return strictest;
  throw new UrlError(`it says twice what TLS shall be (${said.map(({ name }) => name).join(', ')})`);
}

function modeOf(name: string, value: string, { words, known }: Parameter): TlsMode {
  const word = value.toLowerCase().replaceAll('_', '-').replaceAll(' ', '');
  const mode = Object.hasOwn(words, word) ? words[word] : undefined;
  if (mode === undefined) throw new UrlError(`its ${name} must be one of ${known}`);
  return mode;
}

/** Undefined: they contradict each other. `auto` checks the certificate of a host that is not this machine, so only that is stricter. */
function strictestOf(said: ReadonlySet<TlsMode | undefined>): TlsMode | undefined {
  if (said.has('disable')) return undefined;
  if (said.has('verify-full')) return 'verify-full';
  return said.has('auto') ? undefined : 'verify-ca';
}
