import { Failure, type Hint } from '@dbmole/core/failure';
import { seeTables } from '../next-steps.ts';

/** What one policy names: names or patterns with `*` and `?`; one with `!` excludes. Plain data, which a thread can be sent. */
export interface ScopeRules {
  readonly databases?: readonly string[] | undefined;
  readonly schemas?: readonly string[] | undefined;
  /** `orders`, in any schema of the scope, or `sales.orders`. */
  readonly tables?: readonly string[] | undefined;
}

/** How an engine reads the names in a scope. */
export interface ScopeDialect {
  /** Schemas of the server itself, which are outside unless they are named without a wildcard. */
  readonly systemSchemas: RegExp;
  /** A database is a schema: `databases` decides about the schemas of names. */
  readonly hasOneLevel: boolean;
}

/** What is visible through a connection. Every policy that holds must allow a name. */
export interface Scope {
  allows(schema: string, table: string): boolean;
  /** Whether something in the schema may be inside. */
  allowsSchema(schema: string): boolean;
  allowsDatabase(database: string): boolean;
  /** The rules in a few words. */
  readonly text: string;
  /** The refusal of a name, which does not say whether it exists. */
  refuse(name: string, position?: number): Failure;
}

/** Undefined where no policy limits anything. */
export function createScope(rules: readonly ScopeRules[], dialect: ScopeDialect): Scope | undefined {
  const layers = rules.filter(({ databases, schemas, tables }) =>
    [databases, schemas, tables].some((list) => list !== undefined),
  );
  if (layers.length === 0) return undefined;
  const matchers = layers.map((layer) => new LayerMatcher(layer, dialect));
  const text = formatScope(layers);
  return {
    text,
    allows: (schema, table) => matchers.every((one) => one.allows(schema, table)),
    allowsSchema: (schema) => matchers.every((one) => one.allowsSchema(schema)),
    allowsDatabase: (database) => matchers.every((one) => one.allowsDatabase(database)),
    refuse: (name, position) => outOfScope(`${name} is not in the scope of this connection, which is ${text}`, position),
  };
}

/** A refusal by the scope. Its message must not tell what is outside. */
export function outOfScope(message: string, position?: number, hint: Hint = seeTables): Failure {
  return new Failure('refused', message, {
    code: 'E_OUT_OF_SCOPE',
    hint,
    ...(position !== undefined && { position }),
  });
}

/** `schemas app, !app_private; tables orders`. */
export function formatScope(layers: readonly ScopeRules[]): string {
  const texts = layers.map((layer) =>
    (['databases', 'schemas', 'tables'] as const)
      .flatMap((key) => (layer[key] === undefined ? [] : `${key} ${layer[key].join(', ')}`))
      .join('; '),
  );
  return texts.filter((text) => text !== '').join(', and also ');
}

class LayerMatcher {
  readonly #databases: NameList;
  readonly #schemas: NameList;
  readonly #included: readonly TablePattern[];
  readonly #excluded: readonly TablePattern[];
  readonly #dialect: ScopeDialect;

  constructor({ databases = [], schemas = [], tables = [] }: ScopeRules, dialect: ScopeDialect) {
    this.#dialect = dialect;
    this.#databases = new NameList(databases);
    this.#schemas = new NameList(schemas);
    const patterns = tables.map(parseTablePattern);
    this.#included = patterns.filter(({ isExcluded }) => !isExcluded);
    this.#excluded = patterns.filter(({ isExcluded }) => isExcluded);
  }

  allowsDatabase(database: string): boolean {
    return this.#databases.allows(database);
  }

  allowsSchema(schema: string): boolean {
    if (!this.#allowsPlace(schema)) return false;
    return this.#included.length === 0 || this.#included.some((one) => one.mayBeIn(schema));
  }

  allows(schema: string, table: string): boolean {
    if (!this.#allowsPlace(schema)) return false;
    if (this.#included.length > 0 && !this.#included.some((one) => one.matches(schema, table))) return false;
    return !this.#excluded.some((one) => one.matches(schema, table));
  }

  /** Whether the schema itself is inside. One of the server has to be named as it is. */
  #allowsPlace(schema: string): boolean {
    const { systemSchemas, hasOneLevel } = this.#dialect;
    if (hasOneLevel && !this.#databases.allows(schema)) return false;
    if (!this.#schemas.allows(schema)) return false;
    if (!systemSchemas.test(schema)) return true;
    const named = [...(hasOneLevel ? this.#databases.named : []), ...this.#schemas.named];
    return named.includes(schema) || this.#included.some(({ schemaName }) => schemaName === schema);
  }
}

class NameList {
  readonly #included: readonly RegExp[];
  readonly #excluded: readonly RegExp[];
  /** The names without a wildcard. */
  readonly named: readonly string[];

  constructor(patterns: readonly string[]) {
    const included = patterns.filter((pattern) => !pattern.startsWith('!'));
    this.#included = included.map((pattern) => toRegExp(pattern, false));
    // What is excluded in one spelling is excluded in all.
    this.#excluded = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => toRegExp(pattern.slice(1), true));
    this.named = included.filter((pattern) => !hasWildcard(pattern));
  }

  allows(name: string): boolean {
    if (this.#included.length > 0 && !this.#included.some((pattern) => pattern.test(name))) return false;
    return !this.#excluded.some((pattern) => pattern.test(name));
  }
}

interface TablePattern {
  readonly isExcluded: boolean;
  /** The schema as it is named, if it has no wildcard. */
  readonly schemaName: string | undefined;
  matches(schema: string, table: string): boolean;
  mayBeIn(schema: string): boolean;
}

function parseTablePattern(written: string): TablePattern {
  const isExcluded = written.startsWith('!');
  const pattern = isExcluded ? written.slice(1) : written;
  const dot = pattern.indexOf('.');
  const schema = dot < 0 ? undefined : toRegExp(pattern.slice(0, dot), isExcluded);
  const table = toRegExp(pattern.slice(dot + 1), isExcluded);
  const mayBeIn = (name: string) => schema === undefined || schema.test(name);
  const schemaPart = pattern.slice(0, Math.max(0, dot));
  return {
    isExcluded,
    schemaName: dot < 0 || hasWildcard(schemaPart) ? undefined : schemaPart,
    mayBeIn,
    matches: (schemaOf, name) => mayBeIn(schemaOf) && table.test(name),
  };
}

function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

function toRegExp(pattern: string, ignoresCase: boolean): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, ignoresCase ? 'isu' : 'su');
}
