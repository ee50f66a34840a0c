import type { Raw } from './seed.ts';

export interface Call {
  tool: string;
  args: Record<string, unknown>;
}

/** What the cluster says itself. */
export interface Evidence {
  raw: Raw;
}

/** One question of a person on call, and the best calls that we found for each server. */
export interface Task {
  name: string;
  ours: readonly Call[];
  elasticsearchMcp: readonly Call[];
  opensearchMcp: readonly Call[];
  /** What a right answer holds. */
  wants(evidence: Evidence): Promise<readonly (RegExp | string)[]>;
  /** A file that our server writes, and that belongs to its answer without being read by a model. */
  file?: string;
}

type Peers = Pick<Task, 'elasticsearchMcp' | 'opensearchMcp'>;

/** The same search by the tools that the others have for it. */
export function search(index: string, body: object): Peers {
  return {
    elasticsearchMcp: [{ tool: 'search_documents', args: { index, body } }],
    opensearchMcp: [{ tool: 'SearchIndexTool', args: { index, query_dsl: body } }],
  };
}

interface Request {
  method?: string;
  path: string;
  params?: Record<string, string>;
  body?: object;
}

/** The same requests by the tools that the others have for anything else. */
export function request(...requests: readonly Request[]): Peers {
  return {
    elasticsearchMcp: requests.map(({ method = 'GET', path, params, body }) => ({
      tool: 'general_api_request',
      args: { method, path, ...(params === undefined ? {} : { params }), ...(body === undefined ? {} : { body }) },
    })),
    opensearchMcp: requests.map(({ method = 'GET', path, params, body }) => ({
      tool: 'GenericOpenSearchApiTool',
      args: { method, path, ...(params === undefined ? {} : { query_params: params }), ...(body === undefined ? {} : { body }) },
    })),
  };
}

/** A number as a whole word; of one with decimals, its first digits. */
export function number(value: number): RegExp {
  const text = Number.isInteger(value)
    ? `${value}\\b`
    : value
        .toFixed(6)
        .replace(/\.?0+$/, '')
        .slice(0, 6)
        .replace('.', '\\.');
  return new RegExp(`(?<![\\d.])${text}`);
}
