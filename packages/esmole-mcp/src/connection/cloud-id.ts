import { UrlError } from '@dbmole/core';
import { AddressError, isHost, type NodeAddress, parseNodeAddress } from '../http/node-address.ts';

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
