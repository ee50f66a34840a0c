import {
  allowsNoWrite,
  baseConnectionShape,
  columnShape,
  findConflict,
  joinUrl,
  objectElsewhere,
  orIssue,
  plainText,
  secretRef,
  toolConnectionShape,
  writeShape,
} from '@dbmole/core';
import * as z from 'zod';
import { parsePath } from '../call/path.ts';
import { costShape, limitKeys } from '../cost/cost-policy.ts';
import { AddressError, isHost, parseNodeAddress } from '../http/node-address.ts';
import { CloudIdError, KibanaError, parseCloudId, parseConnectionUrl, parseKibanaUrl } from './connection-url.ts';

const defaultPort = 9200;

const host = z.string().min(1).refine(isHost, 'expected a name or an address alone; use `port` for the port, or `url` for a URL');
const node = z.string().superRefine((text, context) => {
  try {
    parseNodeAddress(text, defaultPort);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});
/** A SHA-256 fingerprint in hexadecimal, with or without colons. */
const fingerprint = z
  .string()
  .regex(/^(?:[0-9a-f]{2}:?){31}[0-9a-f]{2}$/i, 'expected the SHA-256 of a certificate, 64 hexadecimal digits');
/** Kibana in front of the cluster, with the space whose privileges count. */
const kibana = z.strictObject({
  url: z.string().min(1),
  space: z
    .string()
    .regex(/^[a-z0-9_-]{1,100}$/, 'expected the identifier of a space, as in its address: letters, digits, _ and -')
    .optional(),
});
const pathPrefix = z.string().refine(isPrefix, 'expected /path, without a slash at the end');
/** A list that could exclude would be read as one that allows what it names. */
const indices = z
  .array(
    plainText.refine(
      (name) => !/^\s*[!-]/.test(name),
      'an index cannot be excluded: list the names and patterns that may be used',
    ),
  )
  .min(1);

const plainShape = {
  type: z.literal('elasticsearch'),
  scheme: z.enum(['http', 'https']).optional().describe('https by default'),
  user: plainText.optional(),
  /** Only for clusters without security. It must be given explicitly, so that a forgotten password is not mistaken for it. */
  auth: z.literal('none').optional(),
  caFingerprint: fingerprint.optional(),
  verifyTls: z.boolean().optional(),
};

/** A connection with resolved secrets. */
const fieldsSchema = z
  .strictObject({
    ...baseConnectionShape,
    ...plainShape,
    host,
    nodes: z.array(node).max(100).optional(),
    apiKey: secretRef.optional(),
    /** A PEM text, or the file that holds one. */
    ca: z.string().min(1).optional(),
    pathPrefix: pathPrefix.optional(),
    kibana: kibana.optional(),
    /** The only indices that may be named, as names or patterns. */
    indices: indices.optional(),
    ...writeShape,
    ...columnShape,
    ...costShape,
    systemIndices: z.boolean().optional(),
    /** Whether what may hold secrets can be read: stored scripts, repositories, users. */
    sensitive: z.boolean().optional(),
    /** Whether requests can ask models, which may be services outside the cluster. */
    models: z.boolean().optional(),
  })
  .superRefine((fields, context) => {
    if (fields.warn !== undefined && limitKeys.every((key) => fields[key] === undefined))
      context.addIssue({ code: 'custom', path: ['warn'], message: `it needs a limit: ${limitKeys.join(', ')}` });
    const message = findAuthProblem(fields);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const { shape } = fieldsSchema;
const restrictedSchema = fieldsSchema.transform((fields) => ({ ...fields, readonly: fields.readonly || allowsNoWrite(fields) }));

/**
 * A connection as files and the environment write it: field by field, or with a `url` or a cloud id for those that these can say.
 * The URL as a whole is treated as a secret, as there may be a password in it.
 */
export const connectionSchema = z
  .strictObject({
    ...shape,
    type: shape.type.optional(),
    host: shape.host.optional(),
    url: secretRef.optional(),
    cloudId: z.string().optional(),
  })
  .transform(({ url, cloudId, ...fields }, context) =>
    orIssue(context, () => joinPlace({ type: 'elasticsearch', ...fields }, { url, cloudId })),
  )
  .pipe(restrictedSchema);

/** Fields that a tool may set: none that names a local file or a second place, and none that widens what may be read. */
export const toolSchema = z.strictObject({
  ...toolConnectionShape,
  ...plainShape,
  type: plainShape.type.optional(),
  host: toolConnectionShape.host.optional(),
  apiKey: z.string().min(1).optional().describe('id:key, or its base64'),
  url: z.string().min(1).optional().describe('https://… instead of fields'),
  cloudId: z.string().min(1).optional(),
  kibana: kibana.optional().meta(objectElsewhere),
  auth: plainShape.auth.describe('for a cluster without security'),
});

export type Connection = z.output<typeof connectionSchema>;

export function resolvePort({ port }: Pick<Connection, 'port'>): number {
  return port ?? defaultPort;
}

type Fields = Record<string, unknown>;

function joinPlace(fields: Fields, { url, cloudId }: { url: unknown; cloudId: string | undefined }): Fields {
  if (isKibana(fields.kibana)) return joinKibana(fields, fields.kibana, url ?? cloudId);
  if (cloudId === undefined) return url === undefined ? fields : joinUrl(fields, url, parseConnectionUrl);
  if (url !== undefined) throw new CloudIdError('it conflicts with `url`; give only one');
  const { host, port } = parseCloudId(cloudId);
  const type = 'elasticsearch';
  const found = { type, scheme: 'https', host, port };
  const other = findConflict(fields, found);
  if (other !== undefined) throw new CloudIdError(`the cloud ID and "${other}" disagree; give only one`);
  return { ...fields, ...found };
}

function isKibana(value: unknown): value is z.output<typeof kibana> {
  return kibana.safeParse(value).success;
}

/** Kibana is the only place then: it knows the nodes. */
function joinKibana(fields: Fields, { url }: z.output<typeof kibana>, other: unknown): Fields {
  if (other !== undefined || fields.nodes !== undefined)
    throw new KibanaError('it conflicts with `url`, `cloudId` and `nodes`; give only one');
  const found = parseKibanaUrl(url);
  const conflict = findConflict(fields, found);
  if (conflict !== undefined) throw new KibanaError(`its url and "${conflict}" disagree; give only one`);
  return { ...fields, ...found };
}

/** Exactly one way to log in has to be given. */
function findAuthProblem({ user, password, apiKey, auth }: Fields): string | undefined {
  const hasUser = user !== undefined || password !== undefined;
  if (auth === 'none') return hasUser || apiKey !== undefined ? 'auth=none conflicts with credentials; give only one' : undefined;
  if (hasUser && apiKey !== undefined) return 'apiKey conflicts with user and password; give only one';
  if (apiKey !== undefined) return undefined;
  if (user !== undefined && password !== undefined) return undefined;
  const missing = hasUser ? `${user === undefined ? 'user' : 'password'} is missing` : 'credentials are missing';
  return `${missing}; give user and password, or apiKey, or set auth to none for a cluster without security`;
}

function isPrefix(text: string): boolean {
  if (!text.startsWith('/')) return false;
  try {
    return parsePath(text).length > 0;
  } catch {
    return false;
  }
}

type Shown = Pick<
  Connection,
  | 'type'
  | 'scheme'
  | 'host'
  | 'port'
  | 'user'
  | 'apiKey'
  | 'nodes'
  | 'indices'
  | 'kibana'
  | 'systemIndices'
  | 'sensitive'
  | 'models'
>;

/** Fields of a connection that a list shows. */
export function publicView({ type, scheme, host, port, user, apiKey, nodes, indices, ...allowed }: Partial<Shown>) {
  return {
    type,
    scheme: scheme ?? 'https',
    host,
    port: resolvePort({ port }),
    // The user or kind of key, without secrets.
    user: user ?? (apiKey === undefined ? undefined : 'API key'),
    // The space through which requests go.
    kibana: allowed.kibana === undefined ? undefined : (allowed.kibana.space ?? 'default'),
    nodes: nodes?.join(' '),
    indices: indices?.join(' '),
    // Permissions that a person has added.
    systemIndices: allowed.systemIndices === true ? true : undefined,
    sensitive: allowed.sensitive === true ? true : undefined,
    models: allowed.models === true ? true : undefined,
  };
}
