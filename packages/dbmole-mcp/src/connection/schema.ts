import {
  absent,
  allowsNoWrite,
  baseConnectionShape,
  Failure,
  fileConnectionShape,
  joinUrl,
  type Networked,
  orIssue,
  plainText,
  privateKeyRef,
  secretRef,
  toolConnectionShape,
} from '@dbmole/core';
import * as z from 'zod';
import { isSqliteFile } from '../engines/sqlite/process/file-header.ts';
import { costKeys, policyShape, warnsOfNothing } from '../policy/policy-schema.ts';
import { type EngineType, type EngineWord, engineWords, parseConnectionUrl, type UrlFields } from './connection-url.ts';

// These are all keys of the constant, whose type does not say so.
const typeWord = z.enum(Object.keys(engineWords) as EngineWord[]);

const schemaName = /^(?!pg_)[^\s,"\p{Cc}][^,"\p{Cc}]*$/u;

/** Several are tried in turn. Those of the server are always found, and must not come after others. */
const searchPath = z
  .string()
  .max(1_000)
  .refine(
    (text) => listSchemas(text).every((name) => schemaName.test(name)),
    'expected the name of a schema, or several with commas',
  );

const ownShape = {
  type: typeWord.transform((word): EngineType => engineWords[word]),
  database: plainText.optional(),
  schema: searchPath.optional(),
};

const trustedFunction = /^[^\s.(){}"]{1,63}\.[^\s.(){}"]{1,63}\([^(){}"]{0,2000}\)(?: sha256:[0-9a-f]{64})?$/;

const tlsMode = z.enum(['auto', 'disable', 'require', 'verify-ca', 'verify-full']);

/** A word, or the word with what it takes: PEM texts or files, and the name in the certificate when it is not `host`. */
const tls = z.union([
  tlsMode,
  z.strictObject({
    mode: tlsMode.optional(),
    ca: z.string().min(1).optional(),
    cert: z.string().min(1).optional(),
    key: privateKeyRef.optional(),
    serverName: z.string().min(1).optional(),
  }),
]);

/**
 * Code in the database that a person vouches for, although the guard cannot check it: `shop.report(text)`, and extensions by name.
 * `shop.report(text) sha256:…` holds for one definition only; without it, the definition that was there first is remembered.
 */
const trust = z.strictObject({
  functions: z
    .array(z.string().regex(trustedFunction, 'expected schema.name(types), such as shop.report(text)'))
    .max(1_000)
    .optional(),
  extensions: z
    .array(z.string().regex(/^[\w$-]{1,63}$/, 'expected the name of an extension, such as pgtap'))
    .max(100)
    .optional(),
});

/** What a connection is when it is used. */
const shape = { ...baseConnectionShape, ...ownShape, tls: tls.optional(), trust: trust.optional(), ...policyShape };
const serverSchema = z.strictObject({
  ...shape,
  type: z.enum(['postgres', 'mysql', 'mariadb']),
  file: absent('this engine is a server and opens no file'),
});

const { maxCost: _maxCost, ...filePolicy } = policyShape;
const fileSchema = z.strictObject({
  ...fileConnectionShape,
  ...filePolicy,
  type: z.literal('sqlite'),
  maxCost: absent('SQLite estimates no costs; use `maxScanRows`'),
  password: absent('a SQLite file has no password'),
  database: absent('a SQLite file is one database; write its path as `file`'),
  schema: absent('a SQLite file has no schemas'),
  tls: absent('a SQLite file is opened without a network'),
  trust: absent('a SQLite file has no functions of its own'),
});

/** Only one engine opens files. The issues are those of the engine that was meant. */
function parseFields(fields: Record<string, unknown>, context: z.RefinementCtx) {
  const isFile = fields.type === 'sqlite' || (fields.type === undefined && fields.file !== undefined);
  const parsed = isFile ? fileSchema.safeParse({ ...fields, type: 'sqlite' }) : serverSchema.safeParse(fields);
  if (parsed.success) return parsed.data;
  // An issue of a schema is one that a transform may report; their types differ in an input that no text shows.
  context.issues.push(...(parsed.error.issues as typeof context.issues));
  return z.NEVER;
}

const fieldsSchema = z
  .record(z.string(), z.unknown())
  .transform(parseFields)
  .superRefine((fields, context) => {
    const { type, schema, schemas } = fields;
    if (warnsOfNothing(fields))
      context.addIssue({ code: 'custom', path: ['warn'], message: `it needs a limit: ${costKeys.join(', ')}` });
    if (type === 'postgres' || type === 'sqlite') return;
    const refuse = (key: string, use: string) =>
      context.addIssue({ code: 'custom', path: [key], message: `only PostgreSQL has it; use ${use}` });
    if (schema !== undefined) refuse('schema', '`database` for the schema');
    if (schemas !== undefined) refuse('schemas', '`databases`');
  })
  .transform((fields) => ({ ...fields, readonly: fields.readonly || allowsNoWrite(fields) }));

/**
 * A connection as files and the environment write it: field by field, or with a `url` for those that a URL can say. As a whole it
 * is treated as a secret, as there may be a password in it. Whether MySQL or MariaDB answers is found out on connecting.
 */
export const connectionSchema = z
  .strictObject({
    ...shape,
    type: shape.type.optional(),
    host: shape.host.optional(),
    user: shape.user.optional(),
    file: fileConnectionShape.file.optional(),
    noLinks: fileConnectionShape.noLinks,
    url: secretRef.optional(),
  })
  .transform(({ url, ...fields }, context) =>
    url === undefined ? fields : orIssue(context, () => joinUrl(fields, url, (text) => parseAs(fields.type, text))),
  )
  .pipe(fieldsSchema);

/** MySQL and MariaDB speak the same protocol, and many programs write mysql:// for both. */
function parseAs(type: EngineType | undefined, url: string): UrlFields {
  const parsed = parseConnectionUrl(url);
  return isMysql(type) && isMysql(parsed.type) ? { ...parsed, type } : parsed;
}

function isMysql(type: EngineType | undefined): type is 'mysql' | 'mariadb' {
  return type === 'mysql' || type === 'mariadb';
}

/** What a tool may say of it. */
export const toolSchema = z.strictObject({
  ...toolConnectionShape,
  ...ownShape,
  type: typeWord.optional(),
  host: toolConnectionShape.host.optional(),
  user: toolConnectionShape.user.optional(),
  file: fileConnectionShape.file.optional().describe('SQLite'),
  tls: tlsMode.optional(),
  url: z.string().min(1).optional().describe('postgres://… or mysql://… instead of fields'),
});

/** A tool may add a SQLite file and no other: how opening one fails would tell what is in it. */
export function checkFile(path: string): void {
  if (isSqliteFile(path)) return;
  throw new Failure('input', `${path} is no SQLite database`, {
    code: 'E_NOT_A_DATABASE',
    hint: 'Pass the path of a SQLite file.',
  });
}

export type Connection = z.output<typeof connectionSchema>;
/** A connection of an engine that is a server. */
export type ServerConnection = Networked<Connection>;
/** A connection of the engine that opens a file. */
export type FileConnection = Extract<Connection, { file: string }>;

/** Ordered as a name without a schema is resolved. */
export function listSchemas(searchPath: string): string[] {
  return searchPath.split(',').map((name) => name.trim());
}

const defaultPorts: Record<ServerConnection['type'], number> = { postgres: 5432, mysql: 3306, mariadb: 3306 };

export function resolvePort({ type, port }: Pick<ServerConnection, 'type' | 'port'>): number {
  return port ?? defaultPorts[type];
}

/** What is shown of a connection, and by which two of them are the same. */
export function publicView(config: Connection) {
  return config.file === undefined ? publicServerView(config) : { type: config.type, file: config.file };
}

export function publicServerView({
  type,
  host,
  port,
  user,
  database,
  schema,
}: Pick<ServerConnection, 'type' | 'host' | 'port' | 'user' | 'database' | 'schema'>) {
  return { type, host, port: resolvePort({ type, port }), user, database, schema };
}
