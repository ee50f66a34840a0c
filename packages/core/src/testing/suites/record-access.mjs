// Loaded before a program: keeps a list of everything that the program does with files, sockets, threads and other programs.
import { createRequire, syncBuiltinESMExports } from 'node:module';

const require = createRequire(import.meta.url);
const watched = [
  'fs',
  'fs/promises',
  'net',
  'tls',
  'child_process',
  'worker_threads',
  'dns',
  'dns/promises',
  'http',
  'http2',
  'dgram',
];
const accesses = [];
globalThis.accesses = accesses;

for (const name of watched) {
  const builtin = require(`node:${name}`);
  for (const [key, original] of Object.entries(builtin)) {
    // What begins with `is` compares texts.
    if (typeof original !== 'function' || !/^(?!is)[a-z]/.test(key)) continue;
    builtin[key] = function watch(...given) {
      accesses.push({ call: `${name}.${key}`, target: String(given[0] ?? '').slice(0, 500) });
      return original.apply(this, given);
    };
  }
}
for (const key of ['Worker', 'Socket', 'Server']) {
  for (const name of ['net', 'worker_threads']) {
    const builtin = require(`node:${name}`);
    const original = builtin[key];
    if (original === undefined) continue;
    builtin[key] = class extends original {
      constructor(...given) {
        accesses.push({ call: `${name}.${key}`, target: String(given[0] ?? '').slice(0, 500) });
        super(...given);
      }
    };
  }
}
syncBuiltinESMExports();
