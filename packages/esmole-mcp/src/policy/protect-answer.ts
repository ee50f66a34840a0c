import { type ColumnAction, CutString, LeftOut, type ProtectValue, RawNumber } from '@dbmole/core';
import { isObject } from '../guard/body/walk-json.ts';
import type { FieldTable } from './field-table.ts';
import { refuseField } from './refuse-field.ts';

/** The aggregations of a request whose keys are values of a protected field, by name. */
export interface AggregationPlan {
  readonly action?: ColumnAction | undefined;
  readonly field?: string | undefined;
  readonly inner: ReadonlyMap<string, AggregationPlan>;
}

interface ProtectOptions {
  table: FieldTable;
  protect: ProtectValue;
  /** One for each search of the request. */
  aggregations: readonly ReadonlyMap<string, AggregationPlan>[];
  /** The answer is a document itself, of this index. */
  sourceOf?: string | undefined;
}

/** The answer as the policy shows it, and what was hidden, as a sentence. */
export function protectAnswer(json: unknown, options: ProtectOptions): { json: unknown; note: string | undefined } {
  const protector = new Protector(options);
  const { sourceOf } = options;
  const shown = sourceOf === undefined ? protector.answer(json) : protector.fields(json, { prefix: '', index: sourceOf });
  return { json: shown, note: protector.note };
}

interface Place {
  prefix: string;
  index: string | undefined;
  /** Values are pieces of text, of which a pseudonym would say nothing. */
  masksOnly?: boolean;
}

/** The parts of a hit that have values of fields, by the names of these. */
const valueKeys: ReadonlySet<string> = new Set(['_source', 'fields', 'highlight', 'ignored_field_values']);

class Protector {
  readonly #table: FieldTable;
  readonly #protect: ProtectValue;
  readonly #aggregations: ProtectOptions['aggregations'];
  readonly #masked = new Set<string>();
  readonly #dropped = new Set<string>();

  constructor({ table, protect, aggregations }: ProtectOptions) {
    this.#table = table;
    this.#protect = protect;
    this.#aggregations = aggregations;
  }

  get note(): string | undefined {
    const sentences = [formatNames(this.#masked, 'masked'), formatNames(this.#dropped, 'left out')].filter((text) => text !== '');
    return sentences.length === 0 ? undefined : sentences.join(' ');
  }

  answer(json: unknown): unknown {
    if (!isObject(json)) return this.#findHits(json);
    const { aggregations, responses, ...others } = json;
    // A single document is a hit itself.
    const shown: Record<string, unknown> = { ...Object(this.#findHits(others)) };
    if (aggregations !== undefined) shown.aggregations = this.#keys(aggregations, this.#aggregations[0] ?? new Map());
    if (Array.isArray(responses)) shown.responses = responses.map((one, at) => this.#response(one, at));
    else if (responses !== undefined) shown.responses = this.#findHits(responses);
    return inOrder(json, shown);
  }

  #response(json: unknown, at: number): unknown {
    if (!isObject(json)) return json;
    const { aggregations, ...others } = json;
    const shown = this.#copyObject(others);
    if (aggregations === undefined) return shown;
    return inOrder(json, { ...shown, aggregations: this.#keys(aggregations, this.#aggregations[at] ?? new Map()) });
  }

  /** Hits may be anywhere: in groups, in suggestions and in hits. */
  #findHits(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#findHits(item));
    if (!isPlain(value)) return value;
    return Object.keys(value).some((key) => valueKeys.has(key)) ? this.#hit(value) : this.#copyObject(value);
  }

  #copyObject(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#findHits(inner)]));
  }

  #hit(hit: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const index = typeof hit._index === 'string' ? hit._index : undefined;
    const entries = Object.entries(hit).map(([key, value]) => {
      if (!valueKeys.has(key)) return [key, this.#findHits(value)];
      const place = { index, masksOnly: key === 'highlight' };
      // An inner hit has the fields of its own object; whether their names have the object in front depends on the part.
      const inner = this.fields(value, { ...place, prefix: '' });
      const path = findNestedPath(hit._nested);
      return [key, path === '' ? inner : this.fields(inner, { ...place, prefix: path })];
    });
    return Object.fromEntries(entries);
  }

  /** An object of fields, without those that are protected. */
  fields(value: unknown, place: Place): unknown {
    if (Array.isArray(value)) return value.map((item) => this.fields(item, place));
    if (!isPlain(value)) return value;
    const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
      const path = place.prefix === '' ? key : `${place.prefix}.${key}`;
      const isObjects = isPlain([inner].flat()[0]);
      const action = isObjects ? this.#table.find(path, place.index) : this.#table.findValues(path, place.index);
      if (action === undefined) return [[key, this.fields(inner, { ...place, prefix: path })]];
      if (action === 'refuse') throw refuseField(`the answer has the field ${path}, which is not shown through this connection`);
      if (action === 'drop') return this.#drop(path);
      this.#masked.add(path);
      return [[key, this.#leaves(inner, place.masksOnly === true ? 'mask' : action)]];
    });
    return Object.fromEntries(entries);
  }

  #drop(path: string): [] {
    this.#dropped.add(path);
    return [];
  }

  #leaves(value: unknown, action: Exclude<ColumnAction, 'drop' | 'refuse'>): unknown {
    if (value === null || value === undefined) return value;
    if (Array.isArray(value)) return value.map((item) => this.#leaves(item, action));
    if (value instanceof CutString) return this.#protect(action, { text: value.text, fullLength: value.length });
    if (value instanceof RawNumber) return this.#protect(action, { text: value.text });
    if (value instanceof LeftOut) return value;
    if (!isPlain(value)) return this.#protect(action, { text: String(value) });
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#leaves(inner, action)]));
  }

  /** The keys of groups by a protected field. */
  #keys(value: unknown, plans: ReadonlyMap<string, AggregationPlan>): unknown {
    if (!isPlain(value)) return value;
    const entries = Object.entries(value).map(([name, inner]) => {
      const plan = plans.get(name) ?? plans.get(name.slice(name.indexOf('#') + 1));
      return [name, plan === undefined ? this.#findHits(inner) : this.#aggregation(inner, plan)];
    });
    return Object.fromEntries(entries);
  }

  #aggregation(value: unknown, plan: AggregationPlan): unknown {
    if (!isPlain(value)) return value;
    const { buckets, ...others } = value;
    const shown = this.#keys(others, plan.inner);
    if (buckets === undefined) return shown;
    const bucket = (one: unknown) => this.#bucket(one, plan);
    const list = Array.isArray(buckets)
      ? buckets.map(bucket)
      : isPlain(buckets)
        ? Object.fromEntries(Object.entries(buckets).map(([key, one]) => [key, bucket(one)]))
        : buckets;
    return { ...(isPlain(shown) && shown), buckets: list };
  }

  #bucket(value: unknown, plan: AggregationPlan): unknown {
    const shown = this.#keys(value, plan.inner);
    const { action, field = '' } = plan;
    if (!isPlain(shown) || action === undefined || action === 'drop' || action === 'refuse') return shown;
    this.#masked.add(field);
    const { key_as_string: _text, key, ...others } = shown;
    return { ...(key !== undefined && { key: this.#leaves(key, action) }), ...others };
  }
}

/** Numbers and cut texts are objects of their own. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof RawNumber || value instanceof CutString || value instanceof LeftOut);
}

function inOrder(model: object, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(model).map((key) => [key, value[key]]));
}

function findNestedPath(nested: unknown): string {
  if (!isObject(nested) || typeof nested.field !== 'string') return '';
  const inner = findNestedPath(nested._nested);
  return inner === '' ? nested.field : `${nested.field}.${inner}`;
}

const maxNames = 8;

function formatNames(names: ReadonlySet<string>, verb: string): string {
  if (names.size === 0) return '';
  const shown = [...names].slice(0, maxNames).map((name) => name.slice(0, 100));
  const more = names.size > maxNames ? ', …' : '';
  return `${names.size} ${names.size === 1 ? 'field' : 'fields'} ${verb} by policy (${shown.join(', ')}${more}).`;
}

/** All indices of which the answer has documents. */
export function listHitIndices(json: unknown): readonly string[] {
  const found = new Set<string>();
  collectIndices(json, found);
  return [...found];
}

/** Whether a document does not say which index it is of, as with some values of `filter_path`. */
export function hasUnplacedHits(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUnplacedHits);
  if (!isPlain(value)) return false;
  const isHit = Object.keys(value).some((key) => valueKeys.has(key));
  return (isHit && value._index === undefined) || Object.values(value).some(hasUnplacedHits);
}

function collectIndices(value: unknown, found: Set<string>): void {
  if (!isPlain(value)) {
    if (Array.isArray(value)) for (const item of value) collectIndices(item, found);
    return;
  }
  if (typeof value._index === 'string') found.add(value._index);
  for (const [key, inner] of Object.entries(value)) if (!valueKeys.has(key)) collectIndices(inner, found);
}
