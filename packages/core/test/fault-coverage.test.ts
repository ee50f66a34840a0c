import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** `file: words of the test's name`; from `packages`. */
type Place = `${string}.ts: ${string}`;

const login = 'core/test/tunnel-login.test.ts';
const sshd = 'core/test/tunnel-sshd.test.ts';
const route = 'core/test/tunnel-route.test.ts';
const stream = 'core/test/tunnel-stream.test.ts';
const faults = 'core/test/faults.test.ts';
const network = 'core/test/faults-network.test.ts';
const logins = 'core/test/faults-login.test.ts';
const suite = 'core/src/testing/tunnel-suite.ts';
const life = 'core/src/testing/life-suite.ts';
const keys = 'core/src/tunnel/private-key.test.ts';
const known = 'core/src/tunnel/known-hosts.test.ts';
const store = 'core/src/registry/store.test.ts';
const commands = 'core/test/secret-commands.test.ts';

/** Every fault of a tunnel, a secret or the store that a user may meet, by its number, and where it is made to happen. */
const places: Readonly<Record<number, readonly Place[]>> = {
  1: [
    `${sshd}: a killed session is told to the streams`,
    `${suite}: works again at the next call after the tunnel was lost`,
    'dbmole-mcp/test/tunnel.test.ts: a write whose way is lost is not sent again',
  ],
  2: [`${faults}: #2 `],
  3: [`${faults}: #3 `],
  4: [`${network}: #4 `, `${faults}: #4 `],
  5: [`${network}: #5 `, `${faults}: #5 `, `${sshd}: a server that falls silent is found by the`],
  6: [`${faults}: #6 `],
  7: [`${faults}: #7 `],
  8: [`${route}: try again after a failure, and nothing of it stays`],
  9: [`${login}: a name that does not exist`],
  10: [`${login}: nobody answers`],
  11: [`${login}: a silent one`],
  12: [`${login}: another protocol`, `${logins}: #43 `],
  13: [`${login}: garbage after the greeting`],
  14: [`${logins}: #14 `],
  15: [`${faults}: #15 `, `${sshd}: not with a wrong key: that is one refused login`],
  16: [`${logins}: #16 `],
  17: [`${logins}: #17 `, `${login}: one that is not there is passed over`, `${login}: one that is silent fails in time`],
  18: [`${sshd}: with an encrypted key, and its passphrase`, `${keys}: no passphrase and a wrong one are told apart`],
  19: [`${logins}: #19 `, `${keys}: a new PuTTY key comes with the command that converts it`],
  20: [`${logins}: #20 `],
  21: [`${logins}: #21 `, `${login}: a key and then a password`, `${login}: a password as the answer to a hidden question`],
  22: [`${login}: an unknown one`],
  23: [`${logins}: #23 `, `${login}: a changed one, by %s`],
  // A check that answers later than ssh2 reads the answer would accept these.
  24: [`${login}: an unknown one`, `${login}: a changed one, by %s`],
  25: [
    `${login}: a line for RSA alone is enough`,
    `${sshd}: by lines of known_hosts that ssh-keygen has hashed`,
    `${login}: a revoked one, although it is pinned`,
    `${known}: compares hashed names, with and without a port`,
  ],
  26: [`${route}: name the server whose key is not the accepted one`, `${route}: takes the known name from HostKeyAlias`],
  27: [`${logins}: #27 `],
  28: [`${faults}: #28 `, `${route}: are all lost when the first one is`],
  29: [`${sshd}: a target that refuses, or that no name leads to`],
  30: [`${stream}: a target that never answers is given up, and its late channel is closed`],
  31: [`${sshd}: is told apart from a target that is down`, `${logins}: #31 `],
  32: [`${faults}: #32 `],
  33: [`${faults}: #33 `, `${login}: a rekey asks again, silently`],
  34: [`${sshd}: fifty at once over one login`, `${route}: share one login, also when they come at the same time`],
  35: [`${route}: lose it together and log in once more`],
  36: [`${faults}: #36 ten kills`, `${faults}: #36 a thousand channels`],
  37: [
    `${sshd}: close fails what is pending, also with a silent server`,
    `${faults}: #37 `,
    `${life}: ends after the end of input`,
  ],
  38: [`${faults}: #38 `, `${stream}: a write after the other side closed is never a success`],
  39: [
    `${stream}: TLS through the stream is checked against the real name, and its error arrives first`,
    'dbmole-mcp/test/engines/postgres-connect.test.ts: verifies the configured host, wherever the connection leads',
    'dbmole-mcp/test/engines/mysql-tls.test.ts: works through a tunnel, cancelling included',
    'esmole-mcp/test/tls.test.ts: is that of the configured host, through a tunnel too',
  ],
  40: [
    'dbmole-mcp/src/connection-url.test.ts: says by %s that tls is %s',
    'dbmole-mcp/test/engines/postgres-connect.test.ts: is encrypted and unverified with `require`',
  ],
  41: [`${sshd}: listens nowhere`, `${suite}: reaches the engine, says through what, and listens nowhere`],
  42: [
    `${logins}: #42 certificates`,
    `${logins}: #42 a server that is known by its certificate alone`,
    `${route}: is left to it: a ProxyCommand`,
    `${route}: of a server that takes RSA keys with SHA-512 alone`,
    `${route}: safe from quantum computers alone`,
  ],
  43: [
    `${logins}: #43 `,
    `${login}: what a server says is shown as one harmless line`,
    'core/src/tunnel/auth.test.ts: is named by its question, as harmless text',
    'core/src/tunnel/server-text.test.ts: whatever comes, one line without control characters goes',
  ],
  44: [
    `${commands}: get no shell, no stdin`,
    `${commands}: are ended with all they started when they take too long`,
    `${commands}: printed more than 64 KB`,
    `${commands}: ended with exit code 3`,
    'core/src/registry/registry-resolve.test.ts: that are not set are no problem before that',
  ],
  45: [
    'core/src/registry/secret-renewal.test.ts: that was changed works at the next call',
    'core/src/registry/secret-renewal.test.ts: is tried again only when another one comes out',
    'dbmole-mcp/test/rotation.test.ts: a password that was changed is asked for once more',
    'esmole-mcp/test/rotation.test.ts: a password that was changed is asked for once more',
  ],
  46: [
    'dbmole-mcp/test/canary.test.ts: fails to connect by %s',
    'dbmole-mcp/test/canary.test.ts: wrote none to its output, its log or a file but the store',
  ],
  47: [
    'core/test/store-processes.test.ts: that change the store at once lose nothing, also when one of them is killed',
    `${store}: of a process that has ended is taken over at once`,
  ],
  48: [
    'core/test/faults-store.test.ts: #48 a disk of its own',
    'core/test/faults-store.test.ts: #48 a file that may not grow',
    `${store}: says that it cannot be written`,
  ],
  49: [
    `${store}: follows links and keeps them`,
    `${store}: writes through a link that leads to nothing yet`,
    `${store}: that holds %j is shown as broken and never overwritten`,
    `${store}: of a later version is read and not changed`,
    `${store}: is closed to others, with a warning`,
    `${store}: is not used when somebody else owns it`,
    'core/src/files/json-text.test.ts: takes a byte order mark',
  ],
  50: [`${store}: sees edits by hand`, 'core/src/registry/registry.test.ts: that are broken keep the last good state'],
};

/** What a test cannot bring about on every machine, and what is done in its place. */
const unreachable: Readonly<Record<number, string>> = {
  4: 'Packets can be dropped where a process may have a network to itself; elsewhere a connection in between holds them back.',
  48: 'A disk gets full or read-only where a process may mount one; elsewhere a limit on the size of files ends a write early.',
};

const packages = join(import.meta.dirname, '..', '..');

it.each(Object.entries(places))('fault %s is made to happen somewhere', (_number, named) => {
  expect(named).not.toEqual([]);
  for (const place of named) {
    const at = place.indexOf(': ');
    const [file, words] = [place.slice(0, at), place.slice(at + 2)];
    const quoted = readFileSync(join(packages, file), 'utf8')
      .split('\n')
      .filter((line) => /['`]/.test(line) && line.includes(words));
    expect(quoted, place).not.toEqual([]);
  }
});

it('no fault is left out', () => {
  const numbers = Array.from({ length: 50 }, (_, index) => String(index + 1));
  expect(Object.keys(places)).toEqual(numbers);
  for (const number of Object.keys(unreachable)) expect(numbers).toContain(number);
});
