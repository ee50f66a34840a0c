import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../failure.ts';
import { isLocalHost } from '../../local-host.ts';

export interface HostRules {
  /** Host names and addresses in lower case, IPv6 in brackets, without a port. */
  hosts: ReadonlySet<string>;
  /** Origins besides those whose host is in `hosts`, such as `https://app.example.com`. */
  origins: ReadonlySet<string>;
  /** `X-Forwarded-Host` counts instead of `Host`. */
  isBehindProxy: boolean;
}

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];
const hostPattern = /^(?<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,252}))(?::\d{1,5})?$/;

/** An origin as browsers send it: without a path, and without a slash at the end. */
const originPattern = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/i;
const expectedForms = {
  '--allow-host': 'a name or an IP address without a port, such as mole.example.com',
  '--allow-origin': 'a scheme and a host without a path, such as https://app.example.com',
};

interface HostRuleOptions {
  /** Where the server listens. */
  address: string;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  isBehindProxy: boolean;
}

/** Loopback names are always accepted: a page of another site never has one of them as its host. */
export function createHostRules({ address, allowedHosts, allowedOrigins, isBehindProxy }: HostRuleOptions): HostRules {
  const own = isLocalHost(address) || isUnspecified(address) ? [] : [formatHost(address)];
  for (const host of allowedHosts) checkOption('--allow-host', host, isHostName(formatHost(host)));
  for (const origin of allowedOrigins) checkOption('--allow-origin', origin, originPattern.test(origin));
  const hosts = [...loopbackHosts, ...own, ...allowedHosts.map(formatHost)];
  return { hosts: new Set(hosts), origins: new Set(allowedOrigins.map((one) => one.toLowerCase())), isBehindProxy };
}

/** A value that no request could match would only show as refused requests. */
function checkOption(option: keyof typeof expectedForms, value: string, isValid: boolean): void {
  if (isValid) return;
  throw new Failure('input', `invalid ${option} ${quote(value)}: expected ${expectedForms[option]}`);
}

function isHostName(host: string): boolean {
  return readHostName(host) === host;
}

/** An address as it is written in a URL. */
function formatHost(address: string): string {
  const plain = address.toLowerCase();
  return plain.includes(':') && !plain.startsWith('[') ? `[${plain}]` : plain;
}

/** No client can use `0.0.0.0` or `::` as a name. */
function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/**
 * Why a request is refused, or undefined. A page of another site that makes a browser send it has that site's name as the host
 * (after DNS rebinding) or as the origin.
 */
export function checkHost(headers: IncomingHttpHeaders, rules: HostRules): string | undefined {
  const host = (rules.isBehindProxy && readLast(headers['x-forwarded-host'])) || headers.host;
  const name = readHostName(host);
  if (name === undefined || !rules.hosts.has(name)) {
    return `the host ${quote(host)} is not accepted; --allow-host adds one`;
  }
  const { origin } = headers;
  if (origin === undefined || isAcceptedOrigin(origin, rules)) return undefined;
  return `the origin ${quote(origin)} is not accepted; --allow-origin adds one`;
}

function readHostName(host: string | undefined): string | undefined {
  return hostPattern.exec(host?.toLowerCase() ?? '')?.groups?.name;
}

function isAcceptedOrigin(origin: string, rules: HostRules): boolean {
  const text = origin.toLowerCase();
  if (rules.origins.has(text)) return true;
  const host = /^https?:\/\/(?<host>[^/?#@\\]+)$/.exec(text)?.groups?.host;
  const name = readHostName(host);
  return name !== undefined && rules.hosts.has(name);
}

function readLast(list: string | string[] | undefined): string | undefined {
  return String(list ?? '')
    .split(',')
    .at(-1)
    ?.trim();
}

function quote(text: string | undefined): string {
  return JSON.stringify((text ?? '').slice(0, 100));
}
