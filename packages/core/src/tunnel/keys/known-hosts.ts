import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** One usable line of a known_hosts file. */
export interface KnownHost {
  /** What the key is good for: a server shows it itself, must not show it, or has a certificate that was made with it. */
  trust: 'key' | 'revoked' | 'authority';
  /** Whether the line speaks about this name: `host`, or `[host]:port` for another port than 22. */
  matches(name: string): boolean;
  type: string;
  key: Buffer;
  /** `file:line`, for texts. */
  where: string;
}

interface KnownHostsText {
  entries: KnownHost[];
  /** Numbers of the lines that could not be read. */
  skipped: number[];
}

type Matcher = (name: string) => boolean;

/** Reads what can be read: one broken line must not lock a person out of all other servers. */
export function scanKnownHosts(text: string, file: string): KnownHostsText {
  const entries: KnownHost[] = [];
  const skipped: number[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const entry = scanLine(line, `${file}:${index + 1}`);
    if (entry === undefined) skipped.push(index + 1);
    else entries.push(entry);
  }
  return { entries, skipped };
}

/** How known_hosts spells a server. */
export function knownHostName(host: string, port: number): string {
  const name = host.toLowerCase();
  return port === 22 ? name : `[${name}]:${port}`;
}

/** The format of `ssh-keygen -l`. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256')
    .update(key)
    .digest('base64')
    .replace(/(?<!=)=+$/, '')}`;
}

/** The type that a public key blob itself names. */
export function keyType(key: Buffer): string | undefined {
  if (key.length < 4) return undefined;
  const length = key.readUInt32BE(0);
  return length > 0 && length <= key.length - 4 ? key.toString('latin1', 4, 4 + length) : undefined;
}

const markers: Readonly<Record<string, KnownHost['trust']>> = { '@revoked': 'revoked', '@cert-authority': 'authority' };

function scanLine(line: string, where: string): KnownHost | undefined {
  const fields = line.split(/[ \t]+/);
  const marker = fields[0]?.startsWith('@') ? fields.shift() : undefined;
  const [hosts, type, base64] = fields;
  if (hosts === undefined || type === undefined || base64 === undefined) return undefined;
  const trust = marker === undefined ? 'key' : markers[marker];
  const key = decodeKey(base64, type);
  const matches = hosts.startsWith('|') ? hashedMatcher(hosts) : patternMatcher(hosts);
  if (trust === undefined || key === undefined || matches === undefined) return undefined;
  return { trust, matches, type, key, where };
}

function decodeKey(base64: string, type: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const key = Buffer.from(base64, 'base64');
  return keyType(key) === type ? key : undefined;
}

/** `|1|salt|hash`: the name is hidden, so it can only be compared. */
function hashedMatcher(field: string): Matcher | undefined {
  const [, version, saltText, hashText, ...rest] = field.split('|');
  if (version !== '1' || saltText === undefined || hashText === undefined || rest.length > 0) return undefined;
  const salt = Buffer.from(saltText, 'base64');
  const hash = Buffer.from(hashText, 'base64');
  if (salt.length === 0 || hash.length !== 20) return undefined;
  return (name) => timingSafeEqual(createHmac('sha1', salt).update(name).digest(), hash);
}

/** A list with commas. One negated pattern that matches takes the whole line out. */
function patternMatcher(field: string): Matcher | undefined {
  const patterns = field
    .toLowerCase()
    .split(',')
    .filter((pattern) => pattern !== '');
  const refused = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const accepted = patterns.filter((pattern) => !pattern.startsWith('!'));
  if (accepted.length === 0) return undefined;
  return (name) =>
    !refused.some((pattern) => isGlobMatch(pattern, name)) && accepted.some((pattern) => isGlobMatch(pattern, name));
}

/** `*` and `?` and nothing else; linear in practice, whatever the pattern. */
export function isGlobMatch(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (pattern[p] === '?' || pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
