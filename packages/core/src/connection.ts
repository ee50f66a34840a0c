import * as z from 'zod';

/** What a connection may be called: it appears in tool arguments, file keys and error texts. */
export const connectionName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'a name has 1 to 64 letters, digits, _ or -')
  .refine((name) => name !== '__proto__', 'this name is reserved');

export const portNumber = z.int().min(1).max(65535);

/**
 * Says which fields hold secrets. A server makes a field secret by giving it the schema `secretRef` (also described, optional or
 * nested): the registry finds such fields by this mark, resolves references in them and keeps their values out of every text.
 * The string in a `key` field is the path of a private key, unless it is the key itself.
 */
export const secretMarks = z.registry<{ secret: 'value' | 'key' }>();

/** It ends up on the command line of the keychain's program: one that begins with a hyphen could be an option there. */
const keychainWord = z.string().regex(/^[^-\p{Cc}][^\p{Cc}]*$/u, 'must not be empty, begin with - or hold control characters');

const references = [
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ command: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ keychain: z.strictObject({ service: keychainWord, account: keychainWord }) }),
] as const;

/** A file of other programs that the server can look the connection up in; `name` says where in it, if it takes one. */
const sourceRef = z.strictObject({ from: z.string().min(1), name: z.string().min(1).optional() });

/**
 * A secret, or where to find it. A person may write any form into a file they own; a tool may only ever pass the literal
 * (see docs/decisions), because a reference in the hands of a model is a way to read the machine's secrets.
 */
export const secretRef = z.union([z.string(), ...references, sourceRef]).register(secretMarks, { secret: 'value' });

/** A secret of a server on the way: it must never be offered to another one. */
const hopSecret = z.union([z.string(), ...references]).register(secretMarks, { secret: 'value' });

/** A private key: its path, the key itself (`-----BEGIN …`), or a reference to it. */
export const privateKeyRef = z.union([z.string().min(1), ...references]).register(secretMarks, { secret: 'key' });

/** Names that end up on the command line of `ssh`: one that begins with a hyphen would be an option there. */
/** A NUL in a name would begin another field in some protocols, and no name has a line break. */
export const plainText = z.string().regex(/^\P{Cc}+$/u, 'must not be empty or contain control characters');

const sshWord = z.string().regex(/^[^-\s\p{Cc}][^\p{Cc}]*$/u, 'must not be empty or begin with - or a space');

const hopShape = {
  host: sshWord,
  port: portNumber.optional(),
  user: sshWord.optional(),
  password: hopSecret.optional(),
  privateKey: privateKeyRef.optional(),
  passphrase: hopSecret.optional(),
  agent: z.string().min(1).optional(),
  hostKeys: z.array(z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'a pin looks like SHA256:… (43 characters)')).optional(),
};

/** One SSH server on the way: a host of `~/.ssh/config`, or everything that is needed to reach it. */
const sshHop = z.union([sshWord, z.strictObject(hopShape)]);

/** The last SSH server, and the ones in front of it (`jump`, outermost first). */
export const sshRoute = z.union([sshWord, z.strictObject({ ...hopShape, jump: z.array(sshHop).max(5).optional() })]);

/** An hour at most, as in the arguments of tools. */
const timeoutMilliseconds = z.int().min(1).max(3_600_000);

/** A connection to a server. A server spreads it, adds `type` and its own fields, and closes it with `z.strictObject`. */
export const baseConnectionShape = {
  name: connectionName,
  host: z.string().min(1),
  port: portNumber.optional(),
  user: plainText,
  password: secretRef.optional(),
  readonly: z.boolean().default(false),
  /** What a person wants a model to know of it, such as what is in there. */
  description: plainText.max(300).optional(),
  /** A word of a person's own, such as `staging`; shown to the model. */
  environment: plainText.max(60).optional(),
  ssh: sshRoute.optional(),
  /** The limit of a call that sets none. */
  timeoutMs: timeoutMilliseconds.optional(),
};

const { name, readonly, description, environment, timeoutMs } = baseConnectionShape;

/** A field that belongs to connections of another kind; says why it is not for this one. */
export function absent(why: string) {
  return z.custom<undefined>((value) => value === undefined, why).optional();
}

/** A connection to an engine that opens a file, instead of the shape above. A relative path begins at the file that defines it. */
export const fileConnectionShape = {
  ...{ name, readonly, description, environment, timeoutMs },
  file: plainText,
  /** Set for what a tool adds: it may name a file of the working directory, which could become a link to another one. */
  noLinks: z.boolean().optional(),
  host: absent('this engine opens a file and has no host'),
  port: absent('this engine opens a file and has no port'),
  user: absent('this engine opens a file and has no users'),
  ssh: absent('this engine opens a file, which no SSH server can lead to'),
};

export type SecretRef = z.infer<typeof secretRef>;
export type SourceRef = z.infer<typeof sourceRef>;
export type SshHop = z.infer<typeof sshHop>;
export type SshRoute = z.infer<typeof sshRoute>;

/** What the generic half knows of a connection; a server's own type extends it. It leads to a host, or to a file. */
export interface BaseConnection {
  name: string;
  type: string;
  host?: string | undefined;
  port?: number | undefined;
  /** Absent where a server allows other ways to log in. */
  user?: string | undefined;
  /** Absolute once it was read from its source. */
  file?: string | undefined;
  password?: SecretRef | undefined;
  readonly: boolean;
  description?: string | undefined;
  environment?: string | undefined;
  ssh?: SshRoute | undefined;
  timeoutMs?: number | undefined;
  /** The policies of a person's own connections that this one hides. Set by the registry; no source can write it. */
  alsoHolds?: readonly object[] | undefined;
}

/** The members of a server's connections that lead to a host. */
export type Networked<C extends BaseConnection> = Exclude<C, { file: string }>;

/** Where a connection leads. */
type Address = { host: string; port: number; file?: undefined } | { file: string; host?: undefined; port?: undefined };

export function resolveAddress<C extends BaseConnection>(config: C, resolvePort: (config: Networked<C>) => number): Address {
  if (config.file !== undefined) return { file: config.file };
  // Only the members without a file are left, and the shape of those has a host.
  return { host: config.host ?? '', port: resolvePort(config as Networked<C>) };
}
