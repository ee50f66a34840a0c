import { askUser, Failure } from '@dbmole/core';
import { isObject, valueAt } from './walk-json.ts';

type Looks = (value: Readonly<Record<string, unknown>>) => boolean;

/** The keys of a search that make the cluster ask a model. A field of a user may have such a name too; it has another form then. */
const calls: Readonly<Record<string, Looks>> = {
  semantic: (value) => typeof value.field === 'string' && value.query !== undefined,
  text_similarity_reranker: () => true,
  // A vector that another document has needs no model.
  query_vector_builder: (value) => Object.keys(value).some((key) => key !== 'lookup'),
  sparse_vector: (value) => value.inference_id !== undefined || (value.field !== undefined && value.query !== undefined),
  text_expansion: (value) => hasBelow(value, 'model_text', 'model_id'),
  neural: (value) => hasBelow(value, 'query_text', 'query_image'),
  neural_sparse: (value) => hasBelow(value, 'query_text'),
};

/** Whether the cluster asks a model for what is here, which sends it texts and may reach a service outside. */
export function isModelCall(key: string, value: unknown): boolean {
  return isObject(value) && Object.hasOwn(calls, key) && calls[key]?.(value) === true;
}

function hasBelow(value: Readonly<Record<string, unknown>>, ...keys: readonly string[]): boolean {
  const parts = [value, ...Object.values(value)];
  return parts.some((part) => keys.some((key) => valueAt(part, key) !== undefined));
}

export function modelFailure(what: string): Failure {
  return new Failure('refused', `${what} sends texts to a model, which may be a service outside the cluster`, {
    code: 'E_NOT_A_READ',
    hint: [`Leave ${what} out.`, askUser('set `models` to true on the connection')],
  });
}
