/** The options of `serve`. */
export const serveOptions = {
  port: { type: 'string', form: '--port PORT', help: 'listen on PORT; default: the port of this project; 0: a random one' },
  host: { type: 'string', form: '--host ADDRESS', help: 'listen on ADDRESS: 127.0.0.1 (default)' },
  takeover: { type: 'boolean', form: '--takeover', help: 'stop the server that runs for this project, and take its place' },
  'print-token': { type: 'boolean', form: '--print-token', help: 'print the token that clients need, and exit' },
  'new-token': { type: 'boolean', form: '--new-token', help: 'replace the token, print the new one, and exit' },
  token: {
    type: 'string',
    form: '--token REF',
    help: 'use the token that REF refers to: {"env": "NAME"}, {"file": "/path"}, op://…',
  },
  'no-token': { type: 'boolean', form: '--no-token', help: 'accept every request from this machine, without a token' },
  auth: { type: 'string', form: '--auth oauth', help: 'accept access tokens of an OAuth issuer instead' },
  issuer: { type: 'string', form: '--issuer URL', help: 'the issuer of the access tokens' },
  audience: {
    type: 'string',
    form: '--audience URL',
    help: 'the URL of this server as clients know it; the tokens must be issued for it',
  },
  'tls-cert': { type: 'string', form: '--tls-cert FILE', help: 'serve HTTPS with this certificate (PEM, with its chain)' },
  'tls-key': { type: 'string', form: '--tls-key FILE', help: 'the key of the certificate (PEM)' },
  'behind-proxy': { type: 'boolean', form: '--behind-proxy', help: 'trust the headers X-Forwarded-* of a proxy that adds TLS' },
  'allow-host': {
    type: 'string',
    multiple: true,
    form: '--allow-host NAME',
    help: 'accept NAME in the header Host as well; repeat for several',
  },
  'allow-origin': {
    type: 'string',
    multiple: true,
    form: '--allow-origin ORIGIN',
    help: 'accept requests from pages of ORIGIN; repeat for several',
  },
  metrics: { type: 'string', form: '--metrics PORT', help: 'serve metrics for Prometheus on this port of the loopback address' },
  'max-body': { type: 'string', form: '--max-body SIZE', help: 'largest body of a request: 4m (default)' },
  'max-calls': { type: 'string', form: '--max-calls N', help: 'calls at the same time: 256 (default)' },
  'max-calls-per-client': {
    type: 'string',
    form: '--max-calls-per-client N',
    help: 'the same for one token or OAuth subject: 64 (default)',
  },
  'calls-per-minute': {
    type: 'string',
    form: '--calls-per-minute N',
    help: 'calls of one token or OAuth subject in a minute: 6000 (default)',
  },
  'max-connections': { type: 'string', form: '--max-connections N', help: 'open connections: 1024 (default)' },
  'header-timeout': { type: 'string', form: '--header-timeout TIME', help: 'time for the head of a request: 10s (default)' },
  'idle-timeout': {
    type: 'string',
    form: '--idle-timeout TIME',
    help: 'close a connection that is idle or stalled for this long: 60s (default)',
  },
} as const;

// The keys are what they are declared as; the type of Object.keys does not say so.
export const serveOptionNames = Object.keys(serveOptions) as (keyof typeof serveOptions)[];

/** The options of `serve` that were on the command line. */
export interface ServeCommandOptions {
  port?: string;
  host?: string;
  takeover?: boolean;
  'print-token'?: boolean;
  'new-token'?: boolean;
  token?: string;
  'no-token'?: boolean;
  auth?: string;
  issuer?: string;
  audience?: string;
  'tls-cert'?: string;
  'tls-key'?: string;
  'behind-proxy'?: boolean;
  'allow-host'?: readonly string[];
  'allow-origin'?: readonly string[];
  metrics?: string;
  'max-body'?: string;
  'max-calls'?: string;
  'max-calls-per-client'?: string;
  'calls-per-minute'?: string;
  'max-connections'?: string;
  'header-timeout'?: string;
  'idle-timeout'?: string;
}
