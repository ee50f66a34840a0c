import { Failure, type SavedQuery } from '@dbmole/core';
import type { CallerParam, PlaceholderStyle } from '../engine.ts';

/** A `:name` in the text of a saved query. */
interface NameUse {
  name: string;
  start: number;
  end: number;
}

interface ScannedNames {
  uses: readonly NameUse[];
  /** The position of the first placeholder in the engine's own form, if it has one. */
  own: number | undefined;
  /** Where a string, quoted name or comment begins that does not end. */
  open: number | undefined;
}

/** What goes on with other letters, or begins a string, is not a name. */
const namePattern = /:([A-Za-z_]\w*)(?![\w$\u0080-\uffff]|(?<=:[BENXbenx])'|(?<=:[Uu])&['"])/y;

/** Finds every `:name` that is neither in a string, a quoted name or a comment, nor a cast (`::name`). */
export function scanNames(sql: string, style: PlaceholderStyle): ScannedNames {
  const uses: NameUse[] = [];
  let own: number | undefined;
  for (let at = 0; at < sql.length; ) {
    const end = style.skip(sql, at);
    if (end < 0) return { uses, own, open: at };
    if (end > at) {
      at = end;
      continue;
    }
    if (sql.startsWith('::', at)) {
      at += 2;
      continue;
    }
    style.own.lastIndex = at;
    if (style.own.test(sql)) own ??= at;
    namePattern.lastIndex = at;
    const [whole, name] = namePattern.exec(sql) ?? [];
    if (whole !== undefined && name !== undefined) uses.push({ name, start: at, end: at + whole.length });
    at += whole?.length ?? 1;
  }
  return { uses, own, open: undefined };
}

/** A statement in the engine's own form, with its values apart. */
export interface BoundStatement {
  sql: string;
  params: readonly CallerParam[];
}

/** The values are bound by the engine, so that none of them can change what the statement says. */
export function bindNames(
  { body, params }: SavedQuery,
  values: ReadonlyMap<string, unknown>,
  style: PlaceholderStyle,
): BoundStatement {
  const binder = new Binder(style);
  let sql = '';
  let at = 0;
  for (const { name, start, end } of scanNames(body, style).uses) {
    const param = params.find((one) => one.name === name);
    // Every use was checked when the file was read; what is not a parameter stays as it is.
    if (param === undefined) continue;
    sql += `${body.slice(at, start)}${binder.bind(param, values.get(name), findPlace(body, start, end))}`;
    at = end;
  }
  return { sql: sql + body.slice(at), params: binder.params };
}

class Binder {
  readonly params: CallerParam[] = [];
  readonly #style: PlaceholderStyle;
  readonly #known = new Map<string, string>();

  constructor(style: PlaceholderStyle) {
    this.#style = style;
  }

  /** What is written in place of the name. */
  bind(param: Param, given: unknown, place: NamePlace): string {
    const { isNumbered, listForm } = this.#style;
    const value = formatValue(param, given, this.#style);
    if (isNumbered) return this.#bindNumbered(param, value, place);
    return Array.isArray(value) && place.isListed && listForm === undefined ? this.#bindItems(value) : this.#add(value);
  }

  /** A name is one value wherever it occurs, but for the question whether it is null, which says nothing of its type. */
  #bindNumbered({ name, type }: Param, value: CallerParam, { isTested, isCast }: NamePlace): string {
    if (isTested) return `${this.#add(value)}::text`;
    const placeholder = this.#known.get(name) ?? this.#add(value);
    this.#known.set(name, placeholder);
    return type.kind === 'native' && !isCast ? `${placeholder}::${type.native}${type.isList ? '[]' : ''}` : placeholder;
  }

  /** An empty list contains nothing, which `in (null)` would not express: `not in (null)` is never true. */
  #bindItems(items: readonly CallerParam[]): string {
    if (items.length === 0) return 'select null from (select 1 as one) as none where 1 = 0';
    return items.map((item) => this.#add(item)).join(', ');
  }

  #add(value: CallerParam): string {
    return this.#style.format(this.params.push(value));
  }
}

interface NamePlace {
  /** `:name::type` */
  isCast: boolean;
  /** `:name is null`: nothing there says what type the value has. */
  isTested: boolean;
  /** `(:name)` */
  isListed: boolean;
}

export function findPlace(sql: string, start: number, end: number): NamePlace {
  const before = sql.slice(Math.max(0, start - 100), start);
  const after = sql.slice(end, end + 100);
  return {
    isCast: /^\s*::/.test(after),
    isTested: /^\s+is\s+(?:not\s+)?null\b/i.test(after),
    isListed: /\(\s*$/.test(before) && /^\s*\)/.test(after),
  };
}

type Param = SavedQuery['params'][number];

function formatValue(param: Param, value: unknown, style: PlaceholderStyle): CallerParam {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) && param.type.isList
    ? value.map((item: unknown) => formatOne(param, item, style))
    : formatOne(param, value, style);
}

function formatOne({ name, type }: Param, value: unknown, style: PlaceholderStyle): CallerParam {
  if (type.kind === 'json') return JSON.stringify(value);
  const text = type.kind === 'timestamp' && typeof value === 'string' ? style.formatTimestamp(value) : undefined;
  if (text !== undefined) return text;
  if (type.kind === 'timestamp')
    throw new Failure(
      'input',
      `${name}: expected a timestamp without a zone, such as 2025-01-31T13:45:00, got ${JSON.stringify(value)}`,
      {
        hint: 'Convert it to the time zone of the server, and leave the zone out.',
      },
    );
  // Every other type accepts scalars alone.
  return value as CallerParam;
}
