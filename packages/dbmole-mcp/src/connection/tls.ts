import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { type BackendTarget, Failure, isLocalHost } from '@dbmole/core';
import type { ServerConnection } from './schema.ts';
import type { TlsMode } from './url-tls.ts';

/** What `tls` of a connection says, whether as a word or as an object. */
interface TlsSettings {
  mode?: TlsMode | undefined;
  ca?: string | undefined;
  cert?: string | undefined;
  key?: unknown;
  serverName?: string | undefined;
}

/**
 * The options for Node's TLS, or undefined for a plain connection. The modes mean the same on every engine, whatever a driver makes
 * of them. `auto` is plain only where no one can listen: to this machine, and through a tunnel.
 */
export async function tlsFor(target: BackendTarget<ServerConnection>): Promise<ConnectionOptions | undefined> {
  const settings = buildSettings(target.config);
  const mode = readMode(settings, target);
  if (mode === 'disable') return undefined;
  const serverName = settings.serverName ?? target.serverName;
  const [ca, cert, key] = await Promise.all([
    material('tls.ca', settings.ca),
    material('tls.cert', settings.cert),
    material('tls.key', typeof settings.key === 'string' ? settings.key : undefined),
  ]);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    servername: serverName,
    rejectUnauthorized: mode !== 'require',
    // Node passes the name it connected to; ours is the one the person configured.
    checkServerIdentity:
      mode === 'verify-full' ? (_host, certificate) => checkServerIdentity(serverName, certificate) : () => undefined,
  };
}

function buildSettings({ tls }: ServerConnection): TlsSettings {
  return typeof tls === 'string' ? { mode: tls } : (tls ?? {});
}

function readMode(
  { mode = 'auto', ca, cert }: TlsSettings,
  { dial, connectHost }: BackendTarget<ServerConnection>,
): Exclude<TlsMode, 'auto'> {
  if (mode !== 'auto') return mode;
  // An authority or a certificate implies TLS.
  if (ca !== undefined || cert !== undefined) return 'verify-full';
  return dial !== undefined || isLocalHost(connectHost) ? 'disable' : 'verify-full';
}

/** PEM text as it is, or the content of a file. */
async function material(field: string, value: string | undefined): Promise<string | undefined> {
  if (value === undefined || value.includes('-----BEGIN')) return value;
  const path = value.startsWith('~/') ? join(homedir(), value.slice(2)) : value;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Failure('config', `${field}: ${path} cannot be read`, {
      code: 'E_TLS_FILE',
      hint: 'Name a readable PEM file, or put the PEM text itself there.',
      cause: error,
    });
  }
}
