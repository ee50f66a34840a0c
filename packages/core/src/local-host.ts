/** Whether bytes to this host never leave the machine: a loopback address, its name, or the path of a socket. */
export function isLocalHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('/') || /^127(?:\.\d{1,3}){3}$/.test(host);
}
