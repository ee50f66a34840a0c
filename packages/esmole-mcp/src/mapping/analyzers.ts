import type { ClusterCall } from '../call/cluster-call.ts';
import { buildPath } from '../call/path.ts';
import { formatNames } from '../indices/name-pattern.ts';
import { isObject } from '../search/hit-table.ts';
import type { MappingGroup } from './group-mappings.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Characters of all definitions, and of one. */
const maxLength = 1_500;
const maxDefinition = 300;
const limits = { bytes: 1024 * 1024, json: { string: 4 * 1024, list: 1024 * 1024, total: 16 * 1024 * 1024 } };

/** The parts of an analyzer, by the key of the settings under which they are defined. */
const parts = ['char_filter', 'tokenizer', 'filter'] as const;
const kinds = ['analyzer', 'normalizer'] as const;

/** How the analyzers of these fields are made, where an index defines them: a synonym is in none of the names. Best effort. */
export async function describeAnalyzers(
  call: ClusterCall,
  index: string | undefined,
  groups: readonly MappingGroup[],
): Promise<string> {
  const names = new Set(groups.flatMap(({ fields }) => fields.flatMap(({ analyzers = [] }) => analyzers)));
  if (names.size === 0) return '';
  const params = { filter_path: '*.settings.index.analysis' };
  const answer = await call.ask({ path: buildPath(index, '_settings'), params }, limits);
  if (answer.status >= 300 || !isObject(answer.json)) return '';
  return formatAnalyzers(answer.json, names);
}

/** A line for each analyzer that the settings of an index define: `en_syn: standard > lowercase > syn (synonym, 2 rules: js, javascript …)`. */
export function formatAnalyzers(settings: Fields, names: ReadonlySet<string>): string {
  const found = new Map<string, Map<string, string[]>>();
  for (const [index, about] of Object.entries(settings)) {
    const analysis = objectAt(objectAt(objectAt(about, 'settings'), 'index'), 'analysis');
    for (const kind of kinds)
      for (const [name, definition] of Object.entries(objectAt(analysis, kind))) {
        if (!names.has(name) || !isObject(definition)) continue;
        const text = formatDefinition(definition, analysis);
        const known = found.get(name) ?? new Map<string, string[]>();
        found.set(name, known.set(text, [...(known.get(text) ?? []), index]));
      }
  }
  if (found.size === 0) return '';
  const lines = [...found].map(([name, texts]) => `${name}: ${formatEach(texts)}`);
  const text = ['analyzers:', ...lines].join('\n');
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

function formatEach(texts: ReadonlyMap<string, readonly string[]>): string {
  const [only] = texts.keys();
  if (texts.size === 1 && only !== undefined) return only;
  return [...texts].map(([text, indices]) => `${text} in ${formatNames(indices, 5)}`).join('; ');
}

function formatDefinition(definition: Fields, analysis: Fields): string {
  const { type } = definition;
  const steps = parts.flatMap((part) => listTexts(definition[part]).map((name) => formatStep(name, objectAt(analysis, part))));
  const others = type === undefined || type === 'custom' ? '' : `${String(type)}${formatSettings(definition)}`;
  const text = [others, steps.join(' > ')].filter((one) => one !== '').join(', ');
  return text.length <= maxDefinition ? text : `${text.slice(0, maxDefinition)}…`;
}

/** What a step has of its own settings says what it does; a built-in one has none. */
function formatStep(name: string, defined: Fields): string {
  const definition = objectAt(defined, name);
  const type = typeof definition.type === 'string' ? definition.type : undefined;
  return type === undefined ? name : `${name} (${type}${formatSettings(definition)})`;
}

const untold: ReadonlySet<string> = new Set(['type', ...parts]);

function formatSettings(definition: Fields): string {
  return Object.entries(definition)
    .filter(([key]) => !untold.has(key))
    .map(([key, value]) => `, ${Array.isArray(value) ? formatList(key, value) : `${key}: ${String(value)}`}`)
    .join('');
}

function formatList(key: string, values: readonly unknown[]): string {
  if (values.length <= 3) return `${key}: ${values.map((one) => JSON.stringify(one)).join(', ')}`;
  return `${values.length} ${key}: ${values
    .slice(0, 2)
    .map((one) => JSON.stringify(one))
    .join(', ')} …`;
}

function listTexts(value: unknown): string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

function objectAt(value: unknown, key: string): Fields {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}
