import { describe, expect, it } from 'vitest';
import type { StatementNames } from '../../tree/names.ts';
import { CatalogObject } from '../catalog/catalog-object.ts';
import { catalogs } from '../catalog/describe-sql.ts';
import { Matcher, type Matching } from './match.ts';
import { Uses } from './uses.ts';

const object = (objectClass: string, description: object) =>
  new CatalogObject({ class: objectClass, oid: '20000', description: { schema: 'public', name: 'n', ...description } });

const uses = (kind: Parameters<Uses['add']>[0], name = 'n', schema?: string): Uses => {
  const all = new Uses([]);
  // Before the dot of a field is a row.
  all.add(kind, { schema, name, at: -1, ...(kind === 'fields' ? { isOfRow: true } : {}) });
  return all;
};

const pair = '30000';
const none: ReadonlySet<string> = new Set();
const noNames: StatementNames = {
  ...{ text: '', functions: [], relations: [], targets: [], operators: [], types: [], fields: [], dynamic: [] },
  ...{
    untyped: undefined,
    records: none,
    kinds: none,
    columns: none,
    combines: false,
    castsByPath: false,
    positionOf: () => undefined,
  },
};
const from = (names: readonly string[], isComposite = false) => ({
  ...{ names: new Set(names), origins: new Set([pair]), anywhere: false, isComposite },
});
const matching: Matching = {
  providers: new Map([[pair, from(['paired', 'pair', '@+'])]]),
  rowsAreCast: false,
  records: new Set(['']),
};
const isFound = (one: CatalogObject, by: Uses, more: Partial<Matching> = {}) =>
  new Matcher(by, { ...matching, ...more }).find(one) !== undefined;

describe('a function', () => {
  it.each([
    ['its name', {}, uses('functions'), true],
    ['its schema and name', {}, uses('functions', 'n', 'public'), true],
    ['another schema', {}, uses('functions', 'n', 'audit'), false],
    ['a relation of the name', {}, uses('relations'), false],
    ['its name, out of the search path', { isVisible: false }, uses('functions'), false],
    ['its schema, out of the search path', { isVisible: false, schema: 'audit' }, uses('functions', 'n', 'audit'), true],
    ['a field, when it takes a row', { row: 2249, takesRows: true }, uses('fields'), true],
    ['a field of a row, when it takes none', { row: 23 }, uses('fields'), false],
    ['a field, when it takes none', {}, uses('fields'), false],
    ['a field behind a schema, of nothing that is of its type', { row: pair }, uses('fields'), false],
  ])('by %s', (_by, description, by, expected) => {
    expect(isFound(object(catalogs.function, description), by)).toBe(expected);
  });

  it('that the server has as well is meant where its types are', () => {
    const shadow = object(catalogs.function, { hidesBuiltin: true, argTypes: [pair, 23] });
    expect(isFound(shadow, uses('functions'))).toBe(false);
    const both = uses('functions');
    both.add('relations', { schema: undefined, name: 'paired', at: -1 });
    expect(isFound(shadow, both)).toBe(true);
    expect(isFound(shadow, uses('functions', 'n', 'public'))).toBe(true);
  });

  it('that the server has as well, for types of the server, can always be meant', () => {
    const shadow = object(catalogs.function, { hidesBuiltin: true, argTypes: [25] });
    expect(isFound(shadow, uses('functions'))).toBe(true);
  });

  it('is found in a body when any search path has its schema', () => {
    const shadow = object(catalogs.function, { isVisible: false, hidesBuiltin: true, argTypes: [25] });
    expect(isFound(shadow, uses('functions'))).toBe(false);
    expect(isFound(shadow, uses('functions'), { schemas: new Set(['public']) })).toBe(true);
    expect(isFound(shadow, uses('functions'), { schemas: new Set(['other']) })).toBe(false);
  });
});

describe('a function of a composite type', () => {
  const lower = object(catalogs.function, { hidesBuiltin: true, argTypes: [pair] });
  const composite = new Map([[pair, from([], true)]]);
  const isMeantBy = (...records: string[]) => {
    const by = new Uses([{ ...noNames, records: new Set(records) }]);
    by.add('functions', { schema: undefined, name: 'n', at: -1 });
    return isFound(lower, by, { providers: composite, records: new Set(['', 'json_to_record']) });
  };

  it('is found where the catalog has a function that returns records, or a row needs no function', () => {
    expect(isMeantBy()).toBe(false);
    expect(isMeantBy('generate_series')).toBe(false);
    expect(isMeantBy('generate_series', 'json_to_record')).toBe(true);
    expect(isMeantBy('')).toBe(true);
  });
});

describe('a type', () => {
  it.each([
    ['a cast', uses('types'), true],
    ['a call', uses('functions'), true],
    ['a field', uses('fields'), true],
    ['a relation', uses('relations'), false],
  ])('by %s', (_by, by, expected) => {
    expect(isFound(object(catalogs.type, {}), by)).toBe(expected);
  });

  it('by a relation of its rows, where rows are filled', () => {
    const filled = uses('relations');
    filled.add('functions', { schema: undefined, name: 'jsonb_populate_record', at: -1 });
    expect(isFound(object(catalogs.type, {}), filled)).toBe(true);
  });
});

describe('a cast', () => {
  it('between types of the server, by a type of rows with a column of the target', () => {
    const targets = ['text', 'pair'];
    const cast = object(catalogs.cast, { name: 'text', schema: 'pg_catalog', argTypes: ['20'], target: '25', targets });
    expect(isFound(cast, uses('types', 'pair'))).toBe(true);
    expect(isFound(cast, uses('types', 'other'))).toBe(false);
  });

  it('by its target, where there is a source', () => {
    const cast = object(catalogs.cast, { name: 'int4', schema: 'pg_catalog', argTypes: [pair], target: '23', targets: ['int4'] });
    expect(isFound(cast, uses('types', 'int4', 'pg_catalog'))).toBe(false);
    const both = uses('types', 'int4', 'pg_catalog');
    both.add('types', { schema: undefined, name: 'pair', at: -1 });
    expect(isFound(cast, both)).toBe(true);
  });
});

describe('an operator', () => {
  it('by its name', () => {
    expect(isFound(object(catalogs.operator, { name: '===' }), uses('operators', '==='))).toBe(true);
    expect(
      isFound(object(catalogs.operator, { name: '=', hidesBuiltin: true, argTypes: [pair, pair] }), uses('operators', '=')),
    ).toBe(false);
    expect(isFound(object(catalogs.operator, { name: '=', hidesBuiltin: true, argTypes: [25] }), uses('operators', '='))).toBe(
      true,
    );
  });
});
