/** What we use of ssh2. */
export type Ssh2 = Pick<typeof import('ssh2'), 'Client' | 'OpenSSHAgent' | 'utils'>;

/**
 * Loads ssh2 on first use: it costs time and memory that a process without tunnels must not pay. A bundler may leave a CommonJS
 * module with nothing but its default export.
 */
export async function loadSsh2(): Promise<Ssh2> {
  const namespace: Partial<Ssh2> & { default?: Ssh2 } = await import('ssh2');
  const { Client, OpenSSHAgent, utils } = namespace.default ?? namespace;
  if (Client === undefined || OpenSSHAgent === undefined || utils === undefined) throw new TypeError('ssh2 has no exports');
  return { Client, OpenSSHAgent, utils };
}
