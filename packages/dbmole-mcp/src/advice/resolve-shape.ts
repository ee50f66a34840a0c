import type {
  ColumnName,
  Condition,
  Expression,
  Join,
  KeyName,
  Level,
  ParamUse,
  Source,
  StatementShape,
} from './statement-shape.ts';
import type { ColumnFacts, FindTables, TableFacts } from './table-facts.ts';

/** A table in the FROM of a level, with everything that the level asks of it. */
export interface TableUse {
  alias: string;
  table: TableFacts;
  equal: readonly Key[];
  range: readonly Key[];
  prefix: readonly Key[];
  infix: readonly Key[];
  contains: readonly Key[];
  /** Each OR of which all arms are conditions on this table. */
  choices: readonly Choice[];
  joins: readonly JoinKey[];
  /** The order of the result, as far as it is that of this table. */
  order: readonly OrderedKey[];
  hasLimit: boolean;
  /** Columns that are needed of it; undefined: all. */
  used: readonly ColumnFacts[] | undefined;
}

export interface Choice {
  keys: readonly Key[];
  /** The part of the rows that its arms find together. */
  fraction: number;
}

/** What an index can have as a key. */
export interface Key {
  column: ColumnFacts;
  expression: Expression | undefined;
  /** The part of the rows that a search by it finds. */
  fraction: number;
  /** It is compared with the beginning of a text. */
  isPrefix: boolean;
}

/** Assumed shares of the rows, where statistics say nothing. */
const assumed = { equal: 0.01, range: 1 / 3, interval: 1 / 9, prefix: 0.05, infix: 0.1, contains: 0.1 } as const;

export interface JoinKey extends Key {
  /** The table on the other side, by its alias. */
  partner: string | undefined;
}

export interface OrderedKey extends Key {
  descending: boolean;
}

interface ResolvedShape {
  uses: readonly TableUse[];
  /** A common value for each placeholder; undefined where one has none. */
  values: readonly string[] | undefined;
}

/** Asks the catalog which tables the names mean, and which of them each column belongs to. */
export async function resolveShape(shape: StatementShape, find: FindTables): Promise<ResolvedShape> {
  const tables = await findSources(shape, find);
  const resolver = new Resolver(shape.levels, tables);
  const uses = [...tables].flatMap(([source, table]) => (table === undefined ? [] : [resolver.collectUse(source, table)]));
  const values = shape.params.flatMap((param) => resolver.findValue(param) ?? []);
  return { uses, values: values.length === shape.params.length ? values : undefined };
}

/** A column of a join. */
export interface JoinColumn {
  alias: string;
  table: TableFacts;
  column: ColumnFacts;
}

/** The columns that the statement compares, of tables that the catalog knows. */
export async function resolveJoins(shape: StatementShape, find: FindTables): Promise<(readonly [JoinColumn, JoinColumn])[]> {
  const tables = await findSources(shape, find);
  const resolver = new Resolver(shape.levels, tables);
  return shape.levels.flatMap((level) => level.joins.flatMap((join) => resolver.findPair(join, level)));
}

async function findSources({ levels }: StatementShape, find: FindTables): Promise<Map<Source, TableFacts | undefined>> {
  const sources = levels.flatMap((level) => level.sources.filter(({ table }) => table !== undefined));
  const names = sources.flatMap(({ table }) => table ?? []);
  const found = names.length === 0 ? [] : await find(names);
  return new Map(sources.map((source, i) => [source, found[i]]));
}

/** The number of a LIMIT that is a placeholder. */
const usualCount = '20';

interface Found {
  source: Source;
  column: ColumnFacts;
}

class Resolver {
  readonly #levels: readonly Level[];
  readonly #tables: ReadonlyMap<Source, TableFacts | undefined>;

  constructor(levels: readonly Level[], tables: ReadonlyMap<Source, TableFacts | undefined>) {
    this.#levels = levels;
    this.#tables = tables;
  }

  findPair({ left, right }: Join, level: Level): (readonly [JoinColumn, JoinColumn])[] {
    const [one, other] = [this.#find(left, level), right && this.#find(right, level)];
    const [mine, theirs] = [one, other].map((found) => found && this.#tables.get(found.source));
    if (!one || !other || !mine || !theirs || one.source === other.source) return [];
    const pair = [
      { alias: one.source.alias, table: mine, column: one.column },
      { alias: other.source.alias, table: theirs, column: other.column },
    ] as const;
    return [pair];
  }

  findValue(param: ParamUse | undefined): string | undefined {
    if (param === undefined || param === 'count') return param && usualCount;
    const sample = this.#find(param.column, this.#levels[param.level])?.column.sample;
    return sample === undefined || !param.isList ? sample : `{"${sample.replace(/["\\]/g, '\\$&')}"}`;
  }

  collectUse(source: Source, table: TableFacts): TableUse {
    // A source is in one level.
    const level = this.#levels.find(({ sources }) => sources.includes(source)) as Level;
    const keys = level.conditions.flatMap(({ kind, key }) =>
      this.#keyOf(key, kind, { level, source }).map((one) => ({ kind, ...one })),
    );
    const listKeys = (...kinds: Condition['kind'][]) => unique(keys.filter(({ kind }) => kinds.includes(kind)));
    return {
      alias: source.alias,
      table,
      equal: listKeys('equal'),
      range: listKeys('range', 'interval'),
      prefix: listKeys('prefix'),
      infix: listKeys('infix'),
      contains: listKeys('contains'),
      choices: level.choices.flatMap((arms) => {
        const keys = arms
          .filter(({ kind }) => ordered.has(kind))
          .flatMap(({ kind, key }) => this.#keyOf(key, kind, { level, source }));
        return keys.length === arms.length ? [toChoice(keys)] : [];
      }),
      joins: this.#joinsOf(source),
      order: this.#orderOf(source, level),
      hasLimit: level.hasLimit,
      used: level.used?.flatMap((name) => {
        const found = this.#find(name, level);
        return found?.source === source ? [found.column] : [];
      }),
    };
  }

  #keyOf(key: KeyName, kind: Condition['kind'], { level, source }: { level: Level; source: Source }): Key[] {
    const found = this.#find(key, level);
    if (found?.source !== source) return [];
    const { column } = found;
    const distinct = kind === 'equal' && key.expression === undefined ? column.distinct : undefined;
    const fraction = distinct === undefined ? assumed[kind] : 1 / Math.max(1, distinct);
    return [{ column, expression: key.expression, fraction, isPrefix: kind === 'prefix' }];
  }

  /** Looks at the joins of all levels, because a subquery may compare its columns with ours. */
  #joinsOf(source: Source): JoinKey[] {
    return this.#levels.flatMap((level) =>
      level.joins.flatMap(({ left, right }) => {
        const [one, other] = [this.#find(left, level), right && this.#find(right, level)];
        if (one?.source === source && other?.source !== source) return [toJoinKey(one, other)];
        return other?.source === source && one?.source !== source ? [toJoinKey(other, one)] : [];
      }),
    );
  }

  #orderOf(source: Source, level: Level): OrderedKey[] {
    const keys: OrderedKey[] = [];
    for (const { column, descending } of level.order) {
      const found = this.#find(column, level);
      if (found?.source !== source) break;
      keys.push({ column: found.column, expression: undefined, fraction: 1, isPrefix: false, descending });
    }
    return keys;
  }

  /** The nearest level that has it. */
  #find(name: ColumnName, level: Level | undefined): Found | undefined {
    for (let at = level; at !== undefined; at = at.parent === undefined ? undefined : this.#levels[at.parent]) {
      for (const source of at.sources) {
        if (name.qualifier !== undefined && name.qualifier !== source.alias) continue;
        const column = this.#tables.get(source)?.columns.get(name.name);
        if (column !== undefined) return { source, column };
        if (name.qualifier !== undefined) return undefined;
      }
    }
    return undefined;
  }
}

/** A column that refers to another has about as many values as that one. */
function toJoinKey({ column }: Found, other: Found | undefined): JoinKey {
  const distinct = column.distinct ?? other?.column.distinct;
  const fraction = distinct === undefined ? assumed.equal : 1 / Math.max(1, distinct);
  return { column, expression: undefined, fraction, isPrefix: false, partner: other?.source.alias };
}

/** Conditions that an ordered index serves. */
const ordered: ReadonlySet<Condition['kind']> = new Set<Condition['kind']>(['equal', 'range', 'interval', 'prefix']);

function toChoice(keys: readonly Key[]): Choice {
  return {
    keys,
    fraction: Math.min(
      1,
      keys.reduce((sum, { fraction }) => sum + fraction, 0),
    ),
  };
}

/** Two conditions on one column are an interval. */
function unique(keys: readonly Key[]): Key[] {
  const seen = new Map<string, Key>();
  for (const key of keys) {
    const id = `${key.column.label} ${JSON.stringify(key.expression)}`;
    const fraction = seen.has(id) ? Math.min(key.fraction, assumed.interval) : key.fraction;
    seen.set(id, { ...key, fraction });
  }
  return [...seen.values()];
}
