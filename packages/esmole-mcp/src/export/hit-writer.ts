import { type ExportFormat, formatCsvRecord } from '@dbmole/core';
import { formatExact } from '../json/exact-json.ts';
import { type Hit, isObject } from '../search/hit-table.ts';
import { Cleaner, formatCsvCell } from './clean-value.ts';

/** Writes hits as lines of a file, without secrets of this server: readers of answers read files as well. */
export interface HitWriter {
  readonly header: string;
  line(hit: Hit): string;
  /** Values from which a secret was removed. */
  readonly redacted: number;
  /** Fields with values that have no column. */
  readonly lost: ReadonlySet<string>;
}

export function createHitWriter(format: ExportFormat, columns: readonly string[]): HitWriter {
  return format === 'csv' ? new CsvWriter(columns) : new JsonLineWriter();
}

/** Names of lost fields that are kept. */
const maxLost = 100;

/** The document as it is, with its index and id in front. Requested fields come with their values under their full names. */
class JsonLineWriter implements HitWriter {
  readonly header = '';
  readonly lost: ReadonlySet<string> = new Set();
  readonly #cleaner = new Cleaner();

  get redacted(): number {
    return this.#cleaner.redacted;
  }

  line({ _index, _id, _source, fields }: Hit): string {
    const parts = [_source, unwrap(fields)].filter(isObject);
    const line = Object.assign({ _index, _id }, ...parts);
    return `${formatExact(Object(this.#cleaner.clean(line)))}\n`;
  }
}

/** Values of a field come in lists, also where there is one. */
function unwrap(fields: unknown): unknown {
  if (!isObject(fields)) return undefined;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, single(value)]));
}

function single(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** One column for each field; several values of one are a list in JSON. */
class CsvWriter implements HitWriter {
  readonly header: string;
  readonly lost = new Set<string>();
  readonly #columns: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #cleaner = new Cleaner();

  constructor(columns: readonly string[]) {
    this.#columns = columns;
    this.#known = new Set(columns);
    this.header = `${formatCsvRecord(['_index', '_id', ...columns.map((name) => this.#cleaner.text(name))])}\r\n`;
  }

  get redacted(): number {
    return this.#cleaner.redacted;
  }

  line({ _index, _id, _source, fields }: Hit): string {
    const values = new Map<string, unknown[]>();
    this.#collect(_source, '', values);
    for (const [name, value] of Object.entries(isObject(fields) ? fields : {})) this.#put(name, value, values);
    const cells = this.#columns.map((name) => this.#format(values.get(name)));
    return `${formatCsvRecord([String(_index), String(_id), ...cells])}\r\n`;
  }

  #collect(value: unknown, path: string, values: Map<string, unknown[]>): void {
    for (const [key, inner] of Object.entries(isObject(value) ? value : {})) {
      const name = path === '' ? key : `${path}.${key}`;
      this.#put(name, inner, values);
    }
  }

  #put(name: string, value: unknown, values: Map<string, unknown[]>): void {
    if (this.#known.has(name)) {
      const before = values.get(name) ?? [];
      values.set(name, [...before, ...(Array.isArray(value) ? value : [value])]);
    } else if (Array.isArray(value)) {
      for (const one of value) this.#put(name, one, values);
    } else if (isObject(value)) {
      this.#collect(value, name, values);
    } else if (value !== null && this.lost.size < maxLost) {
      this.lost.add(this.#cleaner.text(name));
    }
  }

  #format(values: readonly unknown[] | undefined): string | null {
    if (values === undefined || values.length === 0) return null;
    return formatCsvCell(this.#cleaner.clean(single(values)));
  }
}
