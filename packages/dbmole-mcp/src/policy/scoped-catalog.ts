import { reportUnavailable } from '@dbmole/core';
import type { Description, ReferenceDetails, SearchHit, SqlCatalog, TableDetails, TableFilter } from '../catalog/catalog.ts';
import { parseNameParts } from '../catalog/name-parts.ts';
import { checkNames, type Diagnosis } from '../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../engine.ts';
import type { Scope } from './scope.ts';

/** A statement of the catalog answers at most this many rows. */
const maxRows = 19_999;

/** The same catalog without what is outside. Definitions that mention something outside are left out as well. */
export function scopeCatalog(catalog: SqlCatalog, scope: Scope): SqlCatalog {
  const look = async (run: CatalogRun) => new Inside(await catalog.relations(run), scope);
  const tableNames = async (run: CatalogRun) => (await look(run)).labels;
  return {
    ...catalog,
    async listDatabases(run, { limit, offset }) {
      const all = await catalog.listDatabases(run, { limit: maxRows, offset: 0 });
      const inside = all.filter(({ name }) => scope.allowsDatabase(parseNameParts(name).at(-1)?.text ?? ''));
      return inside.slice(offset, offset + limit + 1);
    },
    listTables: async (run, filter) => await listTables(catalog, await look(run), { run, filter }),
    async describeTables(run, request) {
      const [inside, description] = await Promise.all([look(run), catalog.describeTables(run, request)]);
      return narrowDescription(description, inside);
    },
    // Routines, sequences and types have no place in a scope of tables.
    findOthers: async () => [],
    async search(run, { limit, offset, ...filter }) {
      const [inside, hits] = await Promise.all([look(run), catalog.search(run, { ...filter, limit: maxRows, offset: 0 })]);
      return hits.filter((hit) => inside.hasHit(hit)).slice(offset, offset + limit + 1);
    },
    async foreignKeys(run) {
      const [inside, keys] = await Promise.all([look(run), catalog.foreignKeys(run)]);
      return keys.filter(({ from, table }) => inside.has(from) && inside.has(table));
    },
    schemaNames: async (run) => (await catalog.schemaNames(run)).filter((name) => scope.allowsSchema(name)),
    relations: async (run) => (await catalog.relations(run)).filter(({ schema, name }) => scope.allows(schema, name)),
    tableNames,
    async columnNames(run, tables) {
      const inside = await look(run);
      const wanted = (tables.length === 0 ? inside.labels : tables).filter((table) => inside.has(table));
      return wanted.length === 0 ? [] : await catalog.columnNames(run, wanted);
    },
    functionNames: async () => [],
    diagnosis: async () => narrowDiagnosis(await catalog.diagnosis(), scope),
  };
}

/** Names and other words in a definition, and the points between them. */
const words = /[\p{L}\p{N}_$]+|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\./gu;

/** The relations of a database, by the names that the catalog writes. */
class Inside {
  readonly labels: readonly string[] & string[];
  readonly #inside: ReadonlySet<string>;
  /** The catalog has more relations than were read, so any word may be the name of one. */
  readonly #isPartial: boolean;
  /** Bare names that only relations outside have. */
  readonly #outside: ReadonlySet<string>;
  /** All of these with their schemas, as `formatPair` writes them. */
  readonly #outsidePairs: ReadonlySet<string>;

  constructor(relations: Awaited<ReturnType<SqlCatalog['relations']>>, scope: Scope) {
    this.#isPartial = relations.length > maxRows;
    const inside = relations.filter(({ schema, name }) => scope.allows(schema, name));
    this.labels = inside.map(({ label }) => label);
    this.#inside = new Set(this.labels);
    const names = new Set(inside.map(({ name }) => name));
    this.#outside = new Set(relations.flatMap(({ name }) => (names.has(name) ? [] : [name])));
    const outside = relations.filter(({ schema, name }) => !scope.allows(schema, name));
    this.#outsidePairs = new Set(outside.map(({ schema, name }) => formatPair(schema, name)));
  }

  has(label: string): boolean {
    return this.#inside.has(label);
  }

  mentionsOutside(text: string | undefined): boolean {
    const found = (text?.match(words) ?? []).map((word) => (/^["`]/.test(word) ? word.slice(1, -1) : word));
    const isPair = (point: number) => this.#outsidePairs.has(formatPair(found[point - 1], found[point + 1]));
    return found.some((word, i) => this.#isPartial || (word === '.' ? isPair(i) : this.#outside.has(word)));
  }

  /** Tables, their columns, and what belongs to them; their names are in the beginning of the detail. */
  hasHit({ kind, name, detail }: SearchHit): boolean {
    if (this.mentionsOutside(detail)) return false;
    if (kind === 'column') return this.has(withoutLast(name));
    const [, owner] = /^on ((?:[^\s:"`]|"[^"]*"|`[^`]*`)+)/.exec(detail) ?? [];
    return this.has(owner ?? name);
  }
}

function formatPair(schema: string | undefined, name: string | undefined): string {
  return `${schema}\0${name}`;
}

/** The name of a table from that of a column. */
function withoutLast(name: string): string {
  const end = /\.(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|[^."`]+)$/.exec(name);
  return end === null ? name : name.slice(0, end.index);
}

interface Listing {
  run: CatalogRun;
  filter: TableFilter;
}

async function listTables(catalog: SqlCatalog, inside: Inside, { run, filter }: Listing) {
  const { limit, offset } = filter;
  const { shown } = await catalog.listTables(run, { ...filter, limit: maxRows, offset: 0 });
  const found = shown.filter(({ name }) => inside.has(name));
  return { shown: found.slice(offset, offset + limit + 1), total: found.length };
}

function narrowDescription({ tables, types, missing }: Description, inside: Inside): Description {
  const shown = tables.filter(({ name }) => inside.has(name));
  const gone = tables.filter(({ name }) => !inside.has(name)).map(({ asked }) => asked);
  return { types, tables: shown.map((table) => narrowTable(table, inside)), missing: [...missing, ...gone] };
}

/** What leads to a table outside is counted and not named. */
function narrowTable(table: TableDetails, inside: Inside): TableDetails {
  const isShown = ({ table: other }: ReferenceDetails) => inside.has(other);
  const isQuiet = ({ definition }: { definition: string }) => !inside.mentionsOutside(definition);
  const [references, incoming] = [table.references, table.referencedBy.shown].map((list) => list.filter(isShown));
  const [policies, triggers] = [table.policies.filter(isQuiet), table.triggers.filter(isQuiet)];
  const hidden =
    table.references.length -
    (references?.length ?? 0) +
    (table.policies.length - policies.length) +
    (table.triggers.length - triggers.length);
  const isOpen = !inside.mentionsOutside(table.definition);
  const partitions = table.partitions.shown.filter((name) => inside.has(name));
  return {
    ...table,
    alsoIn: table.alsoIn.filter((name) => inside.has(name)),
    references: references ?? [],
    referencedBy: { shown: incoming ?? [], total: incoming?.length ?? 0 },
    policies,
    triggers,
    checks: table.checks.filter(isQuiet),
    partitions: { shown: partitions, total: partitions.length },
    definition: isOpen ? table.definition : undefined,
    notes: [
      ...table.notes.filter((note) => !inside.mentionsOutside(note)),
      ...(hidden > 0 || !isOpen ? ['something of it leads outside of the scope of this connection and is not shown'] : []),
    ],
  };
}

/** Checks that name no table and no statement. */
const harmlessChecks: ReadonlySet<string> = new Set(['settings', 'replication']);

function narrowDiagnosis(diagnosis: Diagnosis, { text }: Scope): Diagnosis {
  const refuse = async () =>
    reportUnavailable(
      `it shows what is outside of the scope of this connection, which is ${text}`,
      'Ask the user to run it over a connection without a scope.',
    );
  const entries = checkNames.map((name) => [name, harmlessChecks.has(name) ? diagnosis[name] : refuse] as const);
  // Each check is there again.
  return Object.fromEntries(entries) as unknown as Diagnosis;
}
