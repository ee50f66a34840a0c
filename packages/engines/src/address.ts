import { Failure } from '@dbmole/core/failure';
import type { EngineEntry, EngineId, EngineKind } from './catalog.ts';
import type { EngineAddress } from './engine.ts';

const defaultPorts = { postgres: 5432, mysql: 3306, http: 9200, https: 9200 } as const;

type Scheme = EngineAddress['scheme'];

/** `DBMOLE_TEST_POSTGRES18` and so on. */
export function addressVariable(id: EngineId): string {
  return `DBMOLE_TEST_${id.toUpperCase()}`;
}

export function parseAddress(entry: EngineEntry, text: string): EngineAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = schemesOf(entry.kind).find((candidate) => `${candidate}:` === url?.protocol);
  if (url === undefined || scheme === undefined || url.hostname === '') throw badAddress(entry, schemesOf(entry.kind));
  return {
    scheme,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? defaultPorts[scheme] : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || undefined,
  };
}

export function formatAddress(address: EngineAddress): string {
  const user = encodeURIComponent(address.user);
  const credentials = user === '' ? '' : `${user}:${encodeURIComponent(address.password)}@`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  const path = address.database === undefined ? '' : `/${encodeURIComponent(address.database)}`;
  return `${address.scheme}://${credentials}${host}:${address.port}${path}`;
}

function schemesOf(kind: EngineKind): readonly Scheme[] {
  if (kind === 'postgres') return ['postgres'];
  return kind === 'mysql' || kind === 'mariadb' ? ['mysql'] : ['http', 'https'];
}

function badAddress(entry: EngineEntry, schemes: readonly Scheme[]): Failure {
  const variable = addressVariable(entry.id);
  const form = schemes.map((scheme) => `${scheme}://user:password@host:${defaultPorts[scheme]}/`).join(' or ');
  return new Failure('config', `${variable} is not an address of ${entry.title}; accepted is ${form}`, {
    hint: `Correct or unset ${variable}.`,
  });
}
