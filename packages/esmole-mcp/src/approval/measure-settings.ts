import { buildPath } from '../call/path.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { isObject, valueAt } from '../guard/body/walk-json.ts';
import { jsonText } from '../search/hit-table.ts';
import { describeDifference } from './document-difference.ts';
import { formatCount, formatIndices, type Measured, type Measuring, unmeasured } from './measured.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The settings of indices, or of the cluster, that a request sets: as they are, and as they will be. */
export async function measureSettings(measuring: Measuring): Promise<Measured> {
  const { request, change, ask } = measuring;
  const body = typeof request.body === 'string' ? parseStrict(request.body) : request.body;
  const isCluster = request.segments[0] === '_cluster';
  const path = isCluster ? '/_cluster/settings' : buildPath(change.names, '_settings');
  const answer = await ask({ path, params: { flat_settings: true, ...(isCluster && { include_defaults: true }) } });
  if (answer.status !== 200 || !isObject(answer.json) || answer.cut !== undefined || !isObject(body))
    return unmeasured(change, `the current settings cannot be read (status ${answer.status})`);
  if (isCluster) return compare(measuring, [['the cluster', readCluster(answer.json), flattenCluster(body)]]);
  const wanted = flattenSettings(valueAt(body, 'settings') ?? body);
  return compare(
    measuring,
    readIndices(answer.json, 'settings').map(([index, settings]) => [index, settings, wanted]),
  );
}

/** The fields that a request adds to a mapping, or changes. */
export async function measureMapping(measuring: Measuring): Promise<Measured> {
  const { request, change, ask } = measuring;
  const body = typeof request.body === 'string' ? parseStrict(request.body) : request.body;
  const answer = await ask({ path: buildPath(change.names, '_mapping') });
  if (answer.status !== 200 || !isObject(answer.json) || answer.cut !== undefined || !isObject(body))
    return unmeasured(change, `the current mapping cannot be read (status ${answer.status})`);
  const wanted = listFields(body);
  return compare(
    measuring,
    readIndices(answer.json, 'mappings').map(([index, mapping]) => [index, listFields(mapping), wanted]),
  );
}

type Compared = readonly [place: string, current: Fields, wanted: Fields];

/** One block for all indices where the same changes. */
function compare({ mayName, change }: Measuring, all: readonly Compared[]): Measured {
  const groups = new Map<string, string[]>();
  for (const [place, current, wanted] of all) {
    const before = Object.fromEntries(
      Object.keys(wanted).flatMap((key) => (current[key] === undefined ? [] : [[key, current[key]]])),
    );
    const text = describeDifference(before, wanted).join('\n');
    groups.set(text, [...(groups.get(text) ?? []), place]);
  }
  const keys = Object.keys(all[0]?.[2] ?? {});
  const [what] = keys.length === 1 ? ['1 key'] : [`${keys.length} keys`];
  const places = all.map(([place]) => place);
  const where = change.names === undefined ? 'the cluster' : formatCount(places.length, 'index', 'indices');
  const details = [...groups].map(([text, names]) =>
    groups.size === 1
      ? text
      : `${formatIndices(
          names.map((name) => [name, 'below'] as const),
          mayName,
        )}\n${text}`,
  );
  return { summary: `${what} of ${where}`, basis: [...groups], documents: 0, details };
}

function readIndices(json: Fields, key: string): [index: string, about: Fields][] {
  const indices = Object.entries(json).map(([index, about]): [string, Fields] => {
    const inner = valueAt(about, key);
    return [index, isObject(inner) ? inner : {}];
  });
  return indices.toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** `{"index": {"refresh_interval": "1s"}}` is `index.refresh_interval`, and so it is without the `index`. */
function flattenSettings(settings: unknown): Fields {
  const flat = flatten(settings);
  return Object.fromEntries(Object.entries(flat).map(([key, value]) => [key.startsWith('index.') ? key : `index.${key}`, value]));
}

function flattenCluster(body: Fields): Fields {
  return flatten({ persistent: body.persistent, transient: body.transient });
}

function readCluster(json: Fields): Fields {
  const { persistent, transient, defaults } = json;
  const fallback = isObject(defaults) ? defaults : {};
  const under = (name: string) => Object.entries(fallback).map(([key, value]) => [`${name}.${key}`, value]);
  return { ...Object.fromEntries([...under('persistent'), ...under('transient')]), ...flatten({ persistent, transient }) };
}

/** Values by their paths, with dots. A setting is a text, a number or a list. */
function flatten(value: unknown, prefix = ''): Record<string, unknown> {
  if (!isObject(value)) return prefix === '' || value === undefined ? {} : { [prefix]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) => flatten(inner, prefix === '' ? key : `${prefix}.${key}`)),
  );
}

/** The definitions of fields by their paths, and what else a mapping says. */
function listFields(mapping: unknown, prefix = ''): Record<string, unknown> {
  const { properties, fields, ...others } = isObject(mapping) ? mapping : {};
  const own = Object.keys(others).length === 0 ? {} : { [prefix === '' ? '(mapping)' : prefix]: jsonText(others) };
  const inner = [properties, fields].flatMap((group) => (isObject(group) ? Object.entries(group) : []));
  return Object.assign(own, ...inner.map(([name, field]) => listFields(field, prefix === '' ? name : `${prefix}.${name}`)));
}
