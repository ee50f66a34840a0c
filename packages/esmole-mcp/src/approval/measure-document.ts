import { buildPath } from '../call/path.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { isObject, valueAt } from '../guard/body/walk-json.ts';
import { describeDifference, mergeDocument } from './document-difference.ts';
import { type Measured, type Measuring, unmeasured } from './measured.ts';

/** Looks at the document that a write replaces, changes or deletes. */
export async function measureDocument(measuring: Measuring): Promise<Measured> {
  const { request, change, ask, mayName } = measuring;
  const { names = '', id } = change;
  const documents = 1;
  const after = readAfter(measuring);
  if (id === undefined) {
    const details = describeDifference(undefined, await show(measuring, names, after.value));
    return { summary: `1 new document in ${names.slice(0, 100)}`, basis: null, documents, details };
  }
  const routing = request.params.get('routing');
  const answer = await ask({ path: buildPath(names, '_doc', id), params: routing === undefined ? {} : { routing } });
  const { status, json } = answer;
  if (status !== 200 && status !== 404) {
    const failure = await measuring.failureOf(answer);
    return unmeasured(change, failure?.message ?? `the document was not found (status ${status})`);
  }
  const isFound = valueAt(json, 'found') === true;
  const named = valueAt(json, '_index');
  const index = typeof named === 'string' ? named : names;
  const before = isFound ? valueAt(json, '_source') : undefined;
  const basis = {
    index,
    isFound,
    version: isFound ? [valueAt(json, '_seq_no'), valueAt(json, '_primary_term'), valueAt(json, '_version')].map(String) : null,
  };
  const verb = describeVerb(measuring, isFound);
  const summary = `1 document of ${quoteRemoteName(mayName(index) ? index : names)} ${verb}`;
  if (after.isGone)
    return { summary, basis, documents, details: before === undefined ? [] : describeDifference(before, undefined) };
  if (after.note !== undefined) return { summary: `${summary}, ${after.note}`, basis, documents, details: [] };
  const given = await show(measuring, index, after.value);
  const whole = after.isPart && isFound ? mergeDocument(before, given) : given;
  return { summary, basis, documents, details: describeDifference(before, whole) };
}

interface After {
  value?: unknown;
  /** It is laid over the document that is there. */
  isPart?: boolean;
  isGone?: boolean;
  /** Why it is not known. */
  note?: string;
}

function readAfter({ request: { method, segments, body } }: Measuring): After {
  if (method === 'DELETE') return { isGone: true };
  const value = typeof body === 'string' ? parseStrict(body) : body;
  if (segments[1] !== '_update') return { value };
  const part = valueAt(value, 'doc');
  return isObject(part) ? { value: part, isPart: true } : { note: 'by a script or an upsert, so the result is not known' };
}

function describeVerb({ request: { method, segments } }: Measuring, isFound: boolean): string {
  if (method === 'DELETE') return isFound ? 'is deleted' : 'to delete, which is not there';
  if (segments[1] === '_update') return isFound ? 'is updated' : 'to update, which is not there';
  if (segments[1] === '_create') return isFound ? 'to create, which is there already' : 'is created';
  return isFound ? 'is replaced' : 'is created';
}

async function show({ protect }: Measuring, index: string, source: unknown): Promise<unknown> {
  return source === undefined ? undefined : await protect(index, source);
}
