import { describe, expect, it } from 'vitest';
import { type CatalogObject, createObject } from './catalog-object.ts';
import { catalogs } from './describe-sql.ts';
import { findUse, type Matching } from './match.ts';
import { noRows } from './rows.ts';
import { addUse, Uses } from './uses.ts';

const object = (objectClass: string, description: object) =>
  createObject({ class: objectClass, oid: '20000', description: { schema: 'public', name: 'n', ...description } });

const uses = (kind: Exclude<keyof Uses, 'untyped'>, name = 'n', schema?: string): Uses => {
  const all = new Uses();
  addUse(all[kind], name, { schema });
  return all;
};

const pair = '30000';
const matching: Matching = {
  providers: new Map([
    [
      pair,
      {
        relations: new Set(['paired']),
        functions: new Set(),
        types: new Set(['pair']),
        operators: new Set(['@+']),
        anywhere: false,
        origins: new Set([pair]),
      },
    ],
  ]),
  rows: noRows,
};
const isFound = (one: CatalogObject, by: Uses, more: Partial<Matching> = {}) =>
  findUse(one, by, { ...matching, ...more }) !== undefined;

describe('a function', () => {
  it.each([
    ['its name', {}, uses('functions'), true],
    ['its schema and name', {}, uses('functions', 'n', 'public'), true],
    ['another schema', {}, uses('functions', 'n', 'audit'), false],
    ['a relation of the name', {}, uses('relations'), false],
    ['its name, out of the search path', { open: false }, uses('functions'), false],
    ['its schema, out of the search path', { open: false, schema: 'audit' }, uses('functions', 'n', 'audit'), true],
    ['a field, when it takes a row', { row: 2249, whole: true }, uses('fields'), true],
    ['a field of a row, when it takes none', { row: 23 }, uses('fields'), false],
    ['a field, when it takes none', {}, uses('fields'), false],
    ['a field behind a schema, of nothing that is of its type', { row: pair }, uses('fields', 'n', 't'), false],
  ])('by %s', (_by, description, by, expected) => {
    expect(isFound(object(catalogs.function, description), by)).toBe(expected);
  });

  it('that the server has as well is meant where its types are', () => {
    const shadow = object(catalogs.function, { shadows: true, needs: [pair, 23] });
    expect(isFound(shadow, uses('functions'))).toBe(false);
    const both = uses('functions');
    addUse(both.relations, 'paired', { schema: undefined });
    expect(isFound(shadow, both)).toBe(true);
    expect(isFound(shadow, uses('functions', 'n', 'public'))).toBe(true);
  });

  it('that the server has as well, for types of the server, can always be meant', () => {
    const shadow = object(catalogs.function, { shadows: true, needs: [25] });
    expect(isFound(shadow, uses('functions'))).toBe(true);
  });

  it('is found in a body when any search path has its schema', () => {
    const shadow = object(catalogs.function, { open: false, shadows: true, needs: [25] });
    expect(isFound(shadow, uses('functions'))).toBe(false);
    expect(isFound(shadow, uses('functions'), { schemas: new Set(['public']) })).toBe(true);
    expect(isFound(shadow, uses('functions'), { schemas: new Set(['other']) })).toBe(false);
  });
});

describe('a type', () => {
  it.each([
    ['a cast', uses('types'), true],
    ['a call', uses('functions'), true],
    ['a field', uses('fields', 'n', 't'), true],
    ['a relation', uses('relations'), false],
  ])('by %s', (_by, by, expected) => {
    expect(isFound(object(catalogs.type, {}), by)).toBe(expected);
  });

  it('by a relation of its rows, where rows are filled', () => {
    const filled = uses('relations');
    addUse(filled.functions, 'jsonb_populate_record', { schema: undefined });
    expect(isFound(object(catalogs.type, {}), filled)).toBe(true);
  });
});

describe('a cast', () => {
  it('by its target, where there is a source', () => {
    const cast = object(catalogs.cast, { name: 'int4', schema: 'pg_catalog', needs: [pair], target: 23 });
    expect(isFound(cast, uses('types', 'int4', 'pg_catalog'))).toBe(false);
    const both = uses('types', 'int4', 'pg_catalog');
    addUse(both.types, 'pair', { schema: undefined });
    expect(isFound(cast, both)).toBe(true);
  });
});

describe('an operator', () => {
  it('by its name', () => {
    expect(isFound(object(catalogs.operator, { name: '===' }), uses('operators', '==='))).toBe(true);
    expect(isFound(object(catalogs.operator, { name: '=', shadows: true, needs: [pair, pair] }), uses('operators', '='))).toBe(
      false,
    );
    expect(isFound(object(catalogs.operator, { name: '=', shadows: true, needs: [25] }), uses('operators', '='))).toBe(true);
  });
});
