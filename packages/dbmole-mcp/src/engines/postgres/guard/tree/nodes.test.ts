import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { bodyBranches, branches, fieldKinds, leaves } from './nodes.ts';

/** Kinds with the types of their fields, as the parser's package describes its tree. */
function describedKinds(): Map<string, Map<string, string>> {
  const file = createRequire(createRequire(import.meta.url).resolve('libpg-query')).resolve('@pgsql/types');
  const source = readFileSync(file.replace(/index\.js$/, 'types.d.ts'), 'utf8');
  const kinds = new Map<string, Map<string, string>>();
  for (const [, kind = '', body = ''] of source.matchAll(/export interface (\w+) \{(.*?)\n\}/gs)) {
    const fields = [...body.matchAll(/(\w+)\??: ([^;]+);/g)].map(([, name = '', type = '']) => [name, type] as const);
    kinds.set(kind, new Map(fields));
  }
  return kinds;
}

const kinds = describedKinds();
const all = new Set([...branches, ...bodyBranches]);

describe('the nodes of a read', () => {
  it('are nodes of the parser, each in one list', () => {
    const listed = [...leaves, ...all];
    expect(listed.filter((kind) => !kinds.has(kind))).toEqual([]);
    expect([...leaves].filter((kind) => all.has(kind))).toEqual([]);
    expect([...bodyBranches].filter((kind) => branches.has(kind))).toEqual([]);
  });

  it('have every field that leaves its kind out, but for those that no read has', () => {
    const needed = [...all].flatMap((kind) =>
      [...(kinds.get(kind) ?? [])]
        .filter(([, type]) => kinds.has(type))
        .map(([field, type]) => [`${kind}.${field}`, type] as const),
    );
    const separate = needed.filter(([field]) => !field.endsWith('.withClause') && field !== 'SelectStmt.intoClause');
    const refused = ['ColumnDef.identitySequence', 'CallStmt.funcexpr'];
    expect(new Map(separate.filter(([field]) => !refused.includes(field)))).toEqual(fieldKinds);
  });

  it('are what the fields that leave their kind out are', () => {
    expect([...fieldKinds.values()].filter((kind) => !leaves.has(kind) && !all.has(kind))).toEqual([]);
  });

  it('change nothing: no statement but three', () => {
    expect([...branches].filter((kind) => kind.endsWith('Stmt'))).toEqual(['ExplainStmt', 'SelectStmt', 'VariableShowStmt']);
  });
});
