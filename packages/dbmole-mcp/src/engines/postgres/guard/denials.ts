import { deniedBuiltins, dynamicBuiltins } from './denied-builtins.ts';
import { deniedExtensions, deniedSchemas, dynamicExtensions } from './denied-extensions.ts';
import { deniedRelations } from './denied-relations.ts';
import type { CallUse, NameUse } from './names.ts';

export interface Denial {
  /** Goes on a sentence that begins with the name. */
  readonly reason: string;
  readonly hint?: string;
}

/** Functions that are denied for the same reason. */
export interface DenialGroup extends Denial {
  readonly names?: readonly string[];
  /** Families: whatever begins so. */
  readonly prefixes?: readonly string[];
  /** The form with this many arguments is not denied. */
  readonly unlessArgs?: number;
  /** The form with nothing but short literals is not denied. */
  readonly unlessSmall?: boolean;
  /** Its arguments of type text are complete statements. */
  readonly runsText?: boolean;
  /** The form that names what it reads in a constant is not denied, but what it names may be. */
  readonly unlessNamed?: 'relation' | 'schema';
}

export interface RelationDenial extends Denial {
  readonly schema: string;
  readonly name: string;
}

/** Every call of every statement is looked up, and nearly none is denied: one look at a map and one at a pattern. */
interface Index {
  readonly names: ReadonlyMap<string, DenialGroup>;
  readonly prefixes: ReadonlyMap<string, DenialGroup>;
  /** Any of the prefixes. */
  readonly begins: RegExp;
}

const builtins = indexOf(deniedBuiltins);
const extensions = indexOf(deniedExtensions);
const relations = new Map(deniedRelations.map((relation) => [relation.name, relation]));

/** Why this function is denied, by its decoded name. A built-in's name in somebody's own schema is somebody's own function. */
export function denialOfCall({ schema, name, args, isNamed, isSmall }: CallUse): Denial | undefined {
  const denial = denialOfFunction(schema, name);
  return denial?.unlessArgs === args || isNamed || isSmall ? undefined : denial;
}

export function denialOfFunction(schema: string | undefined, name: string): DenialGroup | undefined {
  const reason = schema === undefined ? undefined : deniedSchemas.get(schema);
  if (reason !== undefined) return { reason };
  return (mayBeBuiltin(schema) ? lookUp(builtins, name) : undefined) ?? lookUp(extensions, name);
}

export function denialOfRelation({ schema, name }: Pick<NameUse, 'schema' | 'name'>): Denial | undefined {
  const denial = relations.get(name);
  if (denial === undefined) return undefined;
  // The schema may be left out of all: a search path can name information_schema.
  return schema === undefined || schema === denial.schema ? denial : undefined;
}

/** For a server that is newer than our lists. */
export function denialOfUnreviewed({ schema, name }: NameUse, unreviewed: ReadonlySet<string>): Denial | undefined {
  if (!mayBeBuiltin(schema) || !unreviewed.has(name)) return undefined;
  return { reason: 'is new in this server and may do more than read', hint: 'A newer version of this program may know it.' };
}

/** Whether a function is only dangerous when something is. */
export function isDynamic({ schema, name }: Pick<NameUse, 'schema' | 'name'>): boolean {
  const isBuiltin = dynamicBuiltins.has(name) || lookUp(builtins, name)?.unlessNamed === 'schema';
  return (mayBeBuiltin(schema) && isBuiltin) || dynamicExtensions.has(name);
}

/** Whether it runs SQL that it gets as a string; in a body, a literal can be checked instead. */
export function runsText(schema: string | undefined, name: string): boolean {
  return denialOfFunction(schema, name)?.runsText === true;
}

function mayBeBuiltin(schema: string | undefined): boolean {
  return schema === undefined || schema === 'pg_catalog';
}

function lookUp({ names, prefixes, begins }: Index, name: string): DenialGroup | undefined {
  return names.get(name) ?? prefixes.get(begins.exec(name)?.[0] ?? '');
}

function indexOf(groups: readonly DenialGroup[]): Index {
  const prefixes = groups.flatMap((group) => (group.prefixes ?? []).map((prefix) => [prefix, group] as const));
  return {
    names: new Map(groups.flatMap((group) => (group.names ?? []).map((name) => [name, group] as const))),
    prefixes: new Map(prefixes),
    begins: new RegExp(`^(?:${prefixes.map(([prefix]) => prefix).join('|')})`),
  };
}
