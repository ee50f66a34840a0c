import type { Hint } from '@dbmole/core/failure';
import * as tables from './denied-functions.ts';
import type { CallUse, NameUse } from './tree/names.ts';

export interface Denial {
  /** Completes a sentence that begins with the name. */
  readonly reason: string;
  readonly hint?: Hint;
}

/** A name or a prefix of names, and what allows a call anyway. */
export interface DeniedName extends Denial {
  readonly name: string;
  readonly isPrefix: boolean;
  readonly unlessArgs?: number;
  readonly unless?: 'small' | 'relation' | 'schema' | 'text' | Findable;
}

/** What a function may find at run time: any relation or type, any type, or relations with partition keys or indexes. */
export const findables = ['relations', 'types', 'partitions', 'indexes'] as const;
export type Findable = (typeof findables)[number];

function isFindable(unless: DeniedName['unless']): unless is Findable {
  return findables.some((one) => one === unless);
}

/** A lookup takes one map access and one pattern, because every call of every statement is looked up. */
class DeniedNames {
  readonly all: readonly DeniedName[];
  readonly #byName: ReadonlyMap<string, DeniedName>;
  /** Any of the prefixes. */
  readonly #begins: RegExp | undefined;

  constructor(table: string) {
    this.all = parseTable(table);
    this.#byName = new Map(this.all.map((one) => [one.isPrefix ? `${one.name}*` : one.name, one]));
    const prefixes = this.all.flatMap(({ name, isPrefix }) => (isPrefix ? name : []));
    this.#begins = prefixes.length === 0 ? undefined : new RegExp(`^(?:${prefixes.join('|')})`);
  }

  find(name: string): DeniedName | undefined {
    const prefix = this.#begins?.exec(name)?.[0];
    return this.#byName.get(name) ?? (prefix === undefined ? undefined : this.#byName.get(`${prefix}*`));
  }
}

/** Parses groups: a line with the reason, a hint and what allows a call anyway, and indented below it the names. */
export function parseTable(table: string): readonly DeniedName[] {
  let group: Denial & Pick<DeniedName, 'unless'> = { reason: '' };
  return table
    .trim()
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith(' '))
        return line
          .trim()
          .split(' ')
          .map((word) => ({ ...group, ...parseName(word) }));
      const [reason = '', hint, unless] = line.split('|').map((part) => part.trim());
      // A test reads the whole table.
      group = { reason, ...(hint ? { hint } : {}), ...(unless ? { unless: unless as 'text' } : {}) };
      return [];
    });
}

function parseName(word: string): Pick<DeniedName, 'name' | 'isPrefix' | 'unlessArgs'> {
  const [name = '', args] = word.split('/');
  if (args !== undefined) return { name, isPrefix: false, unlessArgs: Number(args) };
  return name.endsWith('*') ? { name: name.slice(0, -1), isPrefix: true } : { name, isPrefix: false };
}

const builtins = new DeniedNames(tables.deniedBuiltins);
const extensions = new DeniedNames(tables.deniedExtensions);
const schemas = new DeniedNames(tables.deniedSchemas);
const relations = new DeniedNames(tables.deniedRelations);

/** The server's own objects. */
export const deniedBuiltinNames: readonly string[] = builtins.all.map(({ name }) => name);
export const deniedFunctions: readonly DeniedName[] = [...builtins.all, ...extensions.all];
export const deniedSchemas: readonly string[] = schemas.all.map(({ name }) => name);
/** Names in the form `schema.name`. */
export const deniedRelations: readonly string[] = relations.all.map(({ name }) => name);

/** Why this function is denied. A built-in's name in a user's schema is a user's function. */
export function findCallDenial({ schema, name, args, isNamed, isSmall }: CallUse): Denial | undefined {
  const denial = findFunctionDenial(schema, name);
  return denial?.unlessArgs === args || isNamed || isSmall ? undefined : denial;
}

export function findFunctionDenial(schema: string | undefined, name: string): DeniedName | undefined {
  const found = findFunction(schema, name);
  return isFindable(found?.unless) ? undefined : found;
}

function findFunction(schema: string | undefined, name: string): DeniedName | undefined {
  return schemas.find(schema ?? '') ?? (mayBeBuiltin(schema) ? builtins.find(name) : undefined) ?? extensions.find(name);
}

export function findRelationDenial({ schema, name }: Pick<NameUse, 'schema' | 'name'>): Denial | undefined {
  if (schema !== undefined) return relations.find(`${schema}.${name}`);
  // The schema may be left out of all: a search path can name information_schema.
  return relations.find(`pg_catalog.${name}`) ?? relations.find(`information_schema.${name}`);
}

/** The denial on a server that is newer than the lists. */
export function findUnreviewedDenial({ schema, name }: NameUse, unreviewed: ReadonlySet<string>): Denial | undefined {
  if (!mayBeBuiltin(schema) || !unreviewed.has(name)) return undefined;
  return {
    reason: 'is new in this server and may do more than read',
    hint: 'Update this server: a later version may support it.',
  };
}

/** What a function finds at run time that is unsafe only if something unsafe is among it. */
export function findReach({ schema, name }: Pick<NameUse, 'schema' | 'name'>): Findable | undefined {
  const unless = findFunction(schema, name)?.unless;
  return unless === 'schema' ? 'relations' : isFindable(unless) ? unless : undefined;
}

/** Whether it runs SQL from a string; in a body, a literal can be checked instead. */
export function runsText(schema: string | undefined, name: string): boolean {
  return findFunction(schema, name)?.unless === 'text';
}

function mayBeBuiltin(schema: string | undefined): boolean {
  return schema === undefined || schema === 'pg_catalog';
}
