import { type ColumnAction, type ColumnPolicy, findStrictest } from '@dbmole/core';
import { isObject } from '../guard/body/walk-json.ts';

type Value = Readonly<Record<string, unknown>>;

/** Which fields of an index are protected: by their own names, and because they repeat others. */
export class IndexFields {
  readonly #policy: ColumnPolicy;
  /** The index, its aliases and its data stream: a rule may use any of them. */
  readonly #names: readonly string[];
  readonly #known = new Map<string, ColumnAction | undefined>();
  /** The protected fields of the mapping. */
  readonly protectedNames: ReadonlySet<string>;
  /** Objects with fields that the mapping does not show, of which one may be protected. */
  readonly #hiding: readonly string[];

  constructor(policy: ColumnPolicy, names: readonly string[], mapping: unknown) {
    this.#policy = policy;
    this.#names = names;
    this.protectedNames = new Set(this.#readMapping(mapping));
    this.#hiding = [...listHiding('', mapping)].filter((path) => policy.findInside(names, path) !== undefined);
  }

  /** Whether its documents may have a protected field that the mapping does not show: scripts and runtime fields can read it. */
  get hidesProtected(): boolean {
    return this.#hiding.length > 0;
  }

  /** Whether the index is called so, or is behind the alias or data stream. */
  isCalled(name: string): boolean {
    return this.#names.includes(name);
  }

  /** Whether what is at the path of a document could hold a protected field. */
  mayHold(path: string): boolean {
    if ([...this.protectedNames].some((name) => isInside(name, path))) return true;
    const isHiding = this.#hiding.some((hiding) => hiding === path || isInside(path, hiding) || isInside(hiding, path));
    return isHiding && this.#policy.findInside(this.#names, path) !== undefined;
  }

  /** The action for a field, for what is inside of it and for its multi-fields. */
  find(path: string): ColumnAction | undefined {
    if (this.#known.has(path)) return this.#known.get(path);
    const action = this.#decide(path.replace(/^_inference_fields\./, ''));
    if (this.#known.size > maxKnown) this.#known.clear();
    this.#known.set(path, action);
    return action;
  }

  #decide(path: string): ColumnAction | undefined {
    const parts = path.split('.').slice(0, maxDepth);
    const prefixes = parts.map((_, at) => parts.slice(0, at + 1).join('.'));
    return findStrictest(prefixes.map((prefix) => this.#repeated.get(prefix) ?? this.#policy.find(this.#names, prefix)));
  }

  /** The same for the values of exactly this field: one that keeps a whole object as values may hold a protected part. */
  findValues(path: string): ColumnAction | undefined {
    return findStrictest([this.find(path), this.#flattened.get(path)]);
  }

  readonly #flattened = new Map<string, ColumnAction>();

  /** Fields that show what is in a protected one, such as aliases and the targets of `copy_to`. */
  readonly #repeated = new Map<string, ColumnAction>();

  #readMapping(mapping: unknown): readonly string[] {
    const root = isObject(mapping) ? mapping : {};
    const fields = [...listFields('', root)];
    // A copy may be copied again.
    for (let found = true; found; ) found = fields.some((field) => this.#followCopies(field));
    const scripted = ['runtime', 'derived'].flatMap((key) => Object.entries(isObject(root[key]) ? root[key] : {}));
    for (const { name, definition } of fields) {
      const inside = flattening.has(String(definition.type)) ? this.#policy.findInside(this.#names, name) : undefined;
      if (inside !== undefined) this.#flattened.set(name, inside);
    }
    const own = fields.map(({ name }) => name).filter((name) => this.#decide(name) !== undefined);
    // A script may read any field of a document.
    const risky = own.length === 0 ? [] : scripted.filter(([, definition]) => isScripted(definition)).map(([name]) => name);
    const looked = scripted.filter(([, definition]) => isLookup(definition)).map(([name]) => name);
    const dimensions = fields.filter(({ name, definition }) => isDimension(definition) && this.#decide(name) !== undefined);
    // It is made of the values of all dimensions.
    if (dimensions.length > 0) risky.push('_tsid');
    for (const name of [...risky, ...looked])
      this.#repeated.set(name, findStrictest(['mask', this.#repeated.get(name)]) ?? 'mask');
    const plain = scripted.map(([name]) => name).filter((name) => this.#decide(name) !== undefined);
    return [...own, ...risky, ...looked, ...plain, ...this.#flattened.keys()];
  }

  /** Whether something new was found. */
  #followCopies({ name, definition }: MappedField): boolean {
    const target = definition.type === 'alias' && typeof definition.path === 'string' ? definition.path : undefined;
    if (target !== undefined) return this.#protect(name, this.#decide(target));
    const action = this.#decide(name);
    return listTexts(definition.copy_to).some((copy) => this.#protect(copy, action));
  }

  #protect(name: string, action: ColumnAction | undefined): boolean {
    const before = this.#decide(name);
    const after = findStrictest([before, action]);
    if (after === undefined || after === before) return false;
    this.#repeated.set(name, after);
    return true;
  }
}

/** Types that keep all values of an object in one field. */
const flattening: ReadonlySet<string> = new Set(['flattened', 'flat_object']);
const maxKnown = 20_000;
/** Deeper than a cluster takes. */
const maxDepth = 100;

interface MappedField {
  name: string;
  definition: Value;
}

/** Every field, object and multi-field of a mapping. */
function* listFields(prefix: string, { properties, fields }: Value): Generator<MappedField> {
  for (const children of [properties, fields]) {
    if (!isObject(children)) continue;
    for (const [key, value] of Object.entries(children)) {
      const definition = isObject(value) ? value : {};
      const name = prefix === '' ? key : `${prefix}.${key}`;
      yield { name, definition };
      yield* listFields(name, definition);
    }
  }
}

function isInside(path: string, object: string): boolean {
  return object === '' || path.startsWith(`${object}.`);
}

/** The objects of a mapping whose documents may have fields that it does not show; an empty path is the whole document. */
function* listHiding(path: string, definition: unknown): Generator<string> {
  if (!isObject(definition)) return;
  const { dynamic, enabled, properties } = definition;
  if ([dynamic, enabled].some((value) => String(value) === 'false')) yield path;
  for (const [key, value] of Object.entries(isObject(properties) ? properties : {}))
    yield* listHiding(path === '' ? key : `${path}.${key}`, value);
}

/** A field without a script shows the value of that name in the document. */
function isScripted(definition: unknown): boolean {
  return !isObject(definition) || definition.script !== undefined;
}

/** It shows fields of another index, whose rules do not know this name. */
function isLookup(definition: unknown): boolean {
  return isObject(definition) && definition.type === 'lookup';
}

function isDimension(definition: Value): boolean {
  return String(definition.time_series_dimension) === 'true';
}

function listTexts(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}
