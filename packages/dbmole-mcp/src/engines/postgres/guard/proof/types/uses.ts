import type { CallUse, NameUse, StatementNames } from '../../tree/names.ts';

/** Only calls have the fields of calls. */
export type Use = NameUse & Partial<CallUse>;

/** The server's own functions of any type that are in SQL. They cast to text, and so does `||`, which calls the last two. */
export const textCasts: readonly string[] = ['quote_literal', 'quote_nullable', 'anytextcat', 'textanycat'];

/** They fill the row that they get, as its type wants it. */
export const fillers: readonly string[] = [
  ...['json_populate_record', 'json_populate_recordset', 'jsonb_populate_record', 'jsonb_populate_recordset'],
  ...['jsonb_populate_record_valid', 'populate_record'],
];

/** The symbol of the last one, which belongs to hstore: an extension's function may be renamed. */
export const fillerSymbol = 'hstore_populate_record';

/** A field is `row.f`, which may be a call of f. */
const kinds = ['functions', 'relations', 'types', 'operators', 'fields'] as const;
type Kind = (typeof kinds)[number];

/** What a statement, or the statements of a body, use by name. */
export class Uses {
  readonly statements: readonly StatementNames[];
  /** All names, whatever they are used for. */
  readonly names = new Set<string>();
  readonly records: ReadonlySet<string>;
  readonly #uses = new Map<Kind, Map<string, Use[]>>(kinds.map((kind) => [kind, new Map()]));

  constructor(statements: readonly StatementNames[]) {
    this.statements = statements;
    this.records = new Set(statements.flatMap(({ records }) => [...records]));
    for (const names of statements)
      for (const kind of kinds)
        for (const use of names[kind]) if (kind !== 'functions' || !(use as Use).isField) this.add(kind, use);
    this.#addTextCasts();
  }

  add(kind: Kind, use: Use): void {
    const known = this.#uses.get(kind)?.get(use.name);
    if (known === undefined) this.#uses.get(kind)?.set(use.name, [use]);
    else known.push(use);
    this.names.add(use.name);
  }

  /** The uses of a name, of the first kinds first. */
  get(name: string, ...of: readonly Kind[]): readonly Use[] {
    return this.names.has(name) ? of.flatMap((kind) => this.#uses.get(kind)?.get(name) ?? []) : [];
  }

  /** The names that are used for this. */
  list(kind: Kind): readonly string[] {
    return [...(this.#uses.get(kind)?.keys() ?? [])];
  }

  listRelations(): readonly Use[] {
    return this.statements.flatMap(({ relations }) => relations);
  }

  /** Casts that are not written. */
  #addTextCasts(): void {
    const [use] = [...textCasts.flatMap((name) => this.get(name, 'functions', 'fields')), ...this.get('||', 'operators')];
    if (use !== undefined) this.add('types', { schema: 'pg_catalog', name: 'text', at: use.at });
  }
}
