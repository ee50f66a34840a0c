// The build copies this file into the published types, so it imports nothing but the types of the library that every server has.
import type { MoleOptions, MoleSecret, MoleSsh } from '@dbmole/core/library';

export interface EsmoleOptions extends MoleOptions<EsmoleConnection> {
  /** Lets es_export create files in this folder. Without it the tool answers that it may not. */
  exportDir?: string | undefined;
}

/** A connection, as a configuration file writes it: with a `url`, a `cloudId` or a `host`, and one way to log in. */
export interface EsmoleConnection {
  /** How tools and answers call it: letters, digits, `_` and `-`. */
  name: string;
  /** `https://…`, instead of the fields that it holds. */
  url?: string | undefined;
  /** The cloud ID of a deployment, instead of `host` and `port`. */
  cloudId?: string | undefined;
  type?: 'elasticsearch' | undefined;
  /** `https` by default. */
  scheme?: 'http' | 'https' | undefined;
  host?: string | undefined;
  port?: number | undefined;
  /** Other nodes of the same cluster, as `host` or `host:port`. */
  nodes?: string[] | undefined;
  user?: string | undefined;
  password?: MoleSecret | undefined;
  apiKey?: MoleSecret | undefined;
  /** A cluster without security needs no login. */
  auth?: 'none' | undefined;
  /** A PEM text, or the file that holds one. */
  ca?: string | undefined;
  /** The SHA-256 of the certificate authority. */
  caFingerprint?: string | undefined;
  verifyTls?: boolean | undefined;
  /** Kibana in front of the cluster, instead of `host`: requests go through its console. */
  kibana?: { url: string; space?: string | undefined } | undefined;
  /** What a proxy puts before every path, as `/path`. */
  pathPrefix?: string | undefined;
  /** What happens to the values of fields, by rules such as `users.email` or `*.*password*`. */
  columns?: Record<string, 'refuse' | 'drop' | 'mask' | 'pseudonym' | 'partial' | 'show'> | undefined;
  /** Field rules that come with the program. */
  pii?: 'common' | undefined;
  /** Also refuses queries that compare protected fields. */
  strict?: boolean | undefined;
  /** What `es_request` may change: documents (`dml`), and indices and the rest (`ddl`). One word counts for both. */
  writes?: EsmoleWriteMode | { dml?: EsmoleWriteMode | undefined; ddl?: EsmoleWriteMode | undefined } | undefined;
  /** Whether a change of all documents of an index needs a confirmation. `refuse` by default. */
  noWhere?: 'refuse' | 'allow' | undefined;
  /** A request that changes more documents needs the confirmation of a person. */
  maxRows?: number | undefined;
  /** The only indices that may be named, as names or patterns. */
  indices?: string[] | undefined;
  /** A search that reaches more shards is refused. */
  maxShards?: number | undefined;
  /** The same for the size of the indices that it reaches. */
  maxBytes?: number | undefined;
  /** These two are only noted in the answer. */
  warn?: boolean | undefined;
  /** Patterns that begin with a wildcard. */
  leadingWildcards?: 'allow' | 'refuse' | undefined;
  /** Searches and updates that run a script. */
  scripts?: 'allow' | 'refuse' | undefined;
  systemIndices?: boolean | undefined;
  /** Lets requests read what may hold secrets: stored scripts, repositories, users. */
  sensitive?: boolean | undefined;
  /** Lets requests ask models, which may be services outside the cluster. */
  models?: boolean | undefined;
  /** No tool writes through this connection. */
  readonly?: boolean | undefined;
  /** Shown to the model. */
  description?: string | undefined;
  /** A word such as `staging`, shown to the model. */
  environment?: string | undefined;
  /** The default time limit of a call, in milliseconds. */
  timeoutMs?: number | undefined;
  ssh?: MoleSsh | undefined;
}

export type EsmoleWriteMode = 'never' | 'ask' | 'allow';
