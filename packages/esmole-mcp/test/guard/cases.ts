import { readFileSync } from 'node:fs';
import type { ClusterIdentity, ClusterRequest } from '../../src/call/cluster-request.ts';
import type { Method } from '../../src/call/path.ts';
import type { GuardContext } from '../../src/guard/guard.ts';

/** A line of a file in `cases`, as a person writes it. */
export interface Case {
  /** Method and path, with the query in it. */
  readonly request: string;
  readonly body?: string | object;
  /** The line of the table that it is an example of. */
  readonly line?: string;
  /** What is sent, where it is another path. */
  readonly sent?: string;
  /** What the refusal has to say. */
  readonly why?: string;
  /** The engine whose guard decides: `es8` by default. */
  readonly on?: keyof typeof identities;
  readonly indices?: readonly string[];
  readonly systemIndices?: boolean;
  readonly sensitive?: boolean;
  readonly models?: boolean;
  readonly readonly?: boolean;
  /** The nodes that it is true of, and those that it is not. */
  readonly only?: readonly string[];
  readonly but?: readonly string[];
}

export const identities = {
  es7: readIdentity('elasticsearch', '7.17.29'),
  es8: readIdentity('elasticsearch', '8.19.21'),
  es9: readIdentity('elasticsearch', '9.2.0'),
  os3: readIdentity('opensearch', '3.6.0'),
  old: readIdentity('elasticsearch', '7.6.2'),
  oss: { ...readIdentity('elasticsearch', '7.17.29'), flavour: 'oss' },
  unknown: {
    product: 'unknown',
    version: undefined,
    major: undefined,
    minor: undefined,
    flavour: undefined,
    clusterName: undefined,
  },
} as const satisfies Record<string, ClusterIdentity>;

export function readIdentity(product: ClusterIdentity['product'], version: string): ClusterIdentity {
  const [major, minor] = version.split('.').map(Number);
  return { product, version, major, minor, flavour: undefined, clusterName: undefined };
}

export function readCases(name: string): readonly Case[] {
  const text = readFileSync(new URL(`cases/${name}.jsonl`, import.meta.url), 'utf8');
  // The file is ours.
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
}

export function requestOf({ request, body }: Pick<Case, 'request' | 'body'>): ClusterRequest {
  const space = request.indexOf(' ');
  // Some of these are not methods, which the guard has to refuse.
  const method = request.slice(0, space) as Method;
  return { method, path: request.slice(space + 1), params: {}, body };
}

export function contextOf({
  on = 'es8',
  indices,
  systemIndices = false,
  sensitive = false,
  models = false,
  readonly = true,
}: Pick<Case, 'on' | 'indices' | 'systemIndices' | 'sensitive' | 'models' | 'readonly'>): GuardContext {
  return { identity: identities[on], systemIndices, sensitive, models, readonly, ...(indices === undefined ? {} : { indices }) };
}
