import { Failure, failureWith, type Hint } from '@dbmole/core';
import type { ClusterIdentity } from '../call/cluster-request.ts';

type Product = ClusterIdentity['product'];

/** What to use instead of a part of a search that a product, or an old version of it, does not know. */
const substitutes: Readonly<Record<string, Partial<Readonly<Record<Product, Hint>>>>> = {
  knn: {
    opensearch: 'On OpenSearch, knn is a query: {"query":{"knn":{"FIELD":{"vector":[…],"k":10}}}}.',
    elasticsearch: 'Before Elasticsearch 8.4, use a script_score query with cosineSimilarity(params.v, "FIELD") + 1.0.',
  },
  runtime_mappings: {
    opensearch: 'On OpenSearch, use `derived` fields.',
    elasticsearch: 'Runtime fields need Elasticsearch 7.11 or later; use script_fields.',
  },
  derived: { elasticsearch: 'On Elasticsearch, use `runtime_mappings`.' },
  retriever: { elasticsearch: 'Retrievers need Elasticsearch 8.14 or later; use `query` and `knn`.' },
};

/** Adds the next step where the cluster only says that it does not know a part of the body. */
export function withPartHint(error: unknown, { product }: Pick<ClusterIdentity, 'product'>): unknown {
  if (!(error instanceof Failure)) return error;
  const [, part = ''] = /[Uu]nknown key for a \w{1,30} in \[([a-z_]{1,50})\]/.exec(error.message) ?? [];
  const hint = Object.hasOwn(substitutes, part) ? substitutes[part]?.[product] : undefined;
  return hint === undefined ? error : failureWith(error, { hint });
}
