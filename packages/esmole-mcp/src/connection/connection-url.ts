import { parseUrl, UrlError, type UrlParts } from '@dbmole/core';
import { parsePath } from '../call/path.ts';
import { AddressError, isHost, type NodeAddress, parseNodeAddress } from '../http/node-address.ts';

/** The fields that a URL can contain. */
export interface UrlFields {
  type: 'elasticsearch';
  scheme: 'http' | 'https';
  host: string;
  port: number;
  user?: string;
  password?: string;
  pathPrefix?: string;
}

const urlForm = 'https://user@host:port';

/** The default ports of a URL, not those of a cluster. */
const urlPorts = { http: 80, https: 443 };

/** Splits a URL into fields. Throws a UrlError that repeats nothing of it. */
export function parseConnectionUrl(text: string): UrlFields {
  if (text.includes('\\')) throw new UrlError('a \\ in it is written %5C');
  if (/[/.]\.{1,2}(?:\/|$)/.test(text) || /\/(?:%2e|\.){1,2}(?:\/|$)/i.test(text))
    throw new UrlError('its path has the part . or ..');
  const parts = parseUrl(text, urlForm);
  const { scheme, host, port, user, password } = parts;
  if (scheme !== 'http' && scheme !== 'https') throw new UrlError('it must begin with http:// or https://');
  if (text.includes('?')) throw new UrlError('it has a query, which is not accepted');
  if ([user, password, host].some((part) => /\p{Cc}/u.test(part))) throw new UrlError('it contains an encoded control character');
  if (host.includes(',')) throw new UrlError('it names several hosts; give the first here and the others in `nodes`');
  return {
    type: 'elasticsearch',
    scheme,
    host,
    port: port ?? urlPorts[scheme],
    ...(user === '' ? {} : { user }),
    ...(password === '' ? {} : { password }),
    ...readPrefix(parts),
  };
}

/** A proxy may serve the cluster below a path. */
function readPrefix({ path }: UrlParts): { pathPrefix?: string } {
  const pathPrefix = path.replace(/\/$/, '');
  if (pathPrefix === '') return {};
  try {
    parsePath(pathPrefix);
  } catch {
    throw new UrlError('invalid path for a cluster');
  }
  return { pathPrefix };
}

/** Why a cloud id is not accepted. */
export class CloudIdError extends UrlError {
  override readonly field = 'cloudId';
}

/** Elastic Cloud listens where https does. */
const cloudPort = 443;

/**
 * A cloud id as Elastic Cloud shows it: `name:base64`, which encodes `domain[:port]$cluster[:port]$…`. The cluster is a host below the
 * domain; the rest is for other products.
 */
export function parseCloudId(text: string): NodeAddress {
  const encoded = text.slice(text.lastIndexOf(':') + 1).trim();
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) throw malformed();
  const [domain = '', cluster = ''] = Buffer.from(encoded, 'base64').toString('utf8').split('$');
  try {
    const { host: parent, port } = parseNodeAddress(domain, cloudPort);
    const { host: label, port: ownPort } = parseNodeAddress(cluster, port);
    const host = `${label}.${parent}`;
    if (isHost(host)) return { host, port: ownPort };
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
  }
  throw malformed();
}

function malformed(): CloudIdError {
  return new CloudIdError('expected name:base64, as the page of the deployment shows it');
}

/** Why the address of Kibana is not accepted. */
export class KibanaError extends UrlError {
  override readonly field = 'kibana';
}

/** The address of Kibana, with the path below which it is served. */
export function parseKibanaUrl(text: string): UrlFields {
  try {
    const found = parseConnectionUrl(text);
    if (found.user === undefined && found.password === undefined) return found;
  } catch (error) {
    if (error instanceof UrlError) throw new KibanaError(`its url: ${error.message}`);
    throw error;
  }
  throw new KibanaError('its url has a login; give user and password, or apiKey, as fields');
}
