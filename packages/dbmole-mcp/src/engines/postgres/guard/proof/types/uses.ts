import type { CallUse, NameUse, Records, StatementNames } from '../../tree/names.ts';

/** Only calls have the fields of calls. */
export type Use = NameUse & Partial<CallUse>;

/** The server's own functions of any type that are in SQL. They cast to text, and so does `||`, which calls the last two. */
export const textCasts: readonly string[] = ['quote_literal', 'quote_nullable', 'anytextcat', 'textanycat'];

/** They fill the row that they get, as its type wants it. */
export const fillers: readonly string[] = [
  ...['json_populate_record', 'json_populate_recordset', 'jsonb_populate_record', 'jsonb_populate_recordset'],
  ...['jsonb_populate_record_valid', 'populate_record'],
];

/** What a statement, or the statements of a body, use by name. */
export class Uses {
  readonly statements: readonly StatementNames[];
  readonly functions = new Map<string, Use[]>();
  readonly relations = new Map<string, Use[]>();
  readonly types = new Map<string, Use[]>();
  readonly operators = new Map<string, Use[]>();
  /** `row.f`, which may be a call of f. */
  readonly fields = new Map<string, Use[]>();
  readonly records: Records = { operands: new Set(), casts: new Set(), castsValues: false };

  constructor(statements: readonly StatementNames[]) {
    this.statements = statements;
    for (const names of statements) {
      for (const use of names.functions) if (use.isField !== true) this.add('functions', use);
      for (const kind of ['relations', 'types', 'operators', 'fields'] as const)
        for (const use of names[kind]) this.add(kind, use);
      this.#addRecords(names.records);
    }
    this.#addTextCasts();
  }

  add(kind: 'functions' | 'relations' | 'types' | 'operators' | 'fields', use: Use): void {
    const known = this[kind].get(use.name);
    if (known === undefined) this[kind].set(use.name, [use]);
    else known.push(use);
  }

  #addRecords({ operands, casts, castsValues }: Records): void {
    for (const name of operands) this.records.operands.add(name);
    for (const name of casts) this.records.casts.add(name);
    this.records.castsValues ||= castsValues;
  }

  /** Casts that are not written. */
  #addTextCasts(): void {
    const calls = textCasts.flatMap((name) => this.functions.get(name) ?? this.fields.get(name) ?? []);
    const [use] = [...calls, ...(this.operators.get('||') ?? [])];
    if (use !== undefined) this.add('types', { schema: 'pg_catalog', name: 'text', at: use.at });
  }
}
