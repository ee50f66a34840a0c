import type { Findings, FoundConnection, Importer, ImportPlace } from '@dbmole/core';
import { clientGroup, openMyCnf, parseMyCnf } from '../password-files/my-cnf.ts';
import { variable } from '../password-files/password-file.ts';
import { foundConnection, nameOfPlace, tlsFields } from './found-connection.ts';

/** `[client]`, and each `[client…]` that a suffix chooses, which has the options of `[client]` too. */
export const myCnfImporter: Importer = { source: '.my.cnf', find };

type Options = ReadonlyMap<string, string>;

const telling = ['host', 'user', 'password', 'database'];

function find(place: ImportPlace): Findings {
  const file = openMyCnf(place);
  if (file === undefined) return { found: [], notes: [] };
  const groups = parseMyCnf(file.text);
  const base: Options = groups.get(clientGroup) ?? new Map();
  const found: FoundConnection[] = [];
  const notes: string[] = [];
  for (const [group, own] of groups) {
    if (!group.startsWith(clientGroup) || !telling.some((key) => own.has(key))) continue;
    const one = fromGroup(group, { own, options: new Map([...base, ...own]), place, path: file.path });
    if (typeof one === 'string') notes.push(`${file.path}: the group ${group} ${one}`);
    else found.push(one);
  }
  return { found, notes };
}

interface Group {
  own: Options;
  /** Options merged with those that apply to every client. */
  options: Options;
  place: ImportPlace;
  path: string;
}

/** Returns a proposal, or why it cannot be one. */
function fromGroup(group: string, { own, options, place, path }: Group): FoundConnection | string {
  // It would be expanded in the reference to it.
  if (group.includes('${')) return 'has a ${ in its name';
  const user = options.get('user') ?? variable(place.env, 'USER');
  if (user === undefined) return 'names no user';
  const host = options.get('host') || 'localhost';
  const port = options.get('port');
  const database = options.get('database');
  const tls = tlsFields({
    mode: options.get('ssl-mode'),
    ca: options.get('ssl-ca'),
    cert: options.get('ssl-cert'),
    key: options.get('ssl-key'),
  });
  if (typeof tls === 'string') return tls;
  const suffix = group.slice(clientGroup.length).replace(/^[-_]/, '');
  const isNamed = group !== clientGroup && own.has('password');
  return foundConnection({
    name: suffix || nameOfPlace({ host, ...(database && { database }) }),
    fields: { type: 'mysql', host, user, ...(port && { port: Number(port) }), ...(database && { database }), ...tls },
    ...(options.has('password')
      ? { references: { password: { from: 'my.cnf', ...(isNamed && { name: group }) } }, password: `read from ${path}` }
      : { password: 'none' }),
  });
}
