import { describe, expect, it } from 'vitest';
import { createScope, type ScopeDialect, type ScopeRules } from './scope.ts';

const twoLevels: ScopeDialect = { systemSchemas: /^(?:pg_.*|information_schema)$/, hasOneLevel: false };
const oneLevel: ScopeDialect = { systemSchemas: /^(?:mysql|sys|information_schema)$/i, hasOneLevel: true };

function verdicts(rules: ScopeRules | readonly ScopeRules[], names: readonly string[], dialect = twoLevels): readonly string[] {
  const scope = createScope([rules].flat(), dialect);
  return names.filter((name) => {
    const [schema = '', table = ''] = name.split('/');
    return scope === undefined || scope.allows(schema, table);
  });
}

const all = [
  'app/orders',
  'app/order_items',
  'app/Secret',
  'hr/orders',
  'hr/salaries',
  'pg_catalog/pg_class',
  'information_schema/columns',
];

describe('a scope', () => {
  it.each<[ScopeRules, readonly string[]]>([
    [{}, all],
    [{ schemas: ['app'] }, ['app/orders', 'app/order_items', 'app/Secret']],
    [{ schemas: ['!hr'] }, ['app/orders', 'app/order_items', 'app/Secret']],
    [{ schemas: ['*'] }, ['app/orders', 'app/order_items', 'app/Secret', 'hr/orders', 'hr/salaries']],
    [{ tables: ['orders'] }, ['app/orders', 'hr/orders']],
    [{ tables: ['app.order*'] }, ['app/orders', 'app/order_items']],
    [{ tables: ['app.*', '!app.secret'] }, ['app/orders', 'app/order_items']],
    [{ tables: ['!*.secret', '!hr.*'] }, ['app/orders', 'app/order_items']],
    [{ tables: ['order?'] }, ['app/orders', 'hr/orders']],
    [{ tables: ['secret'] }, []],
    [{ schemas: ['app'], tables: ['hr.orders'] }, []],
    [{ schemas: ['app'], tables: ['orders'] }, ['app/orders']],
    [{ tables: ['pg_catalog.pg_class', 'app.orders'] }, ['app/orders', 'pg_catalog/pg_class']],
    [{ schemas: ['information_schema'] }, ['information_schema/columns']],
    [{ schemas: ['pg_*', 'information*'] }, []],
    [{ tables: ['*.pg_class'] }, []],
    [{ databases: ['shop'] }, ['app/orders', 'app/order_items', 'app/Secret', 'hr/orders', 'hr/salaries']],
  ])('%j', (rules, inside) => {
    expect(verdicts(rules, all)).toEqual(inside);
  });

  it('is what every policy allows', () => {
    expect(verdicts([{ tables: ['app.*'] }, { tables: ['orders'] }], all)).toEqual(['app/orders']);
    expect(verdicts([{ tables: ['app.*'] }, {}], all)).toHaveLength(3);
  });

  it('takes a database for a schema where there is one level', () => {
    const names = ['shop/orders', 'SHOP/orders', 'hr/salaries', 'mysql/user', 'information_schema/tables'];
    expect(verdicts({ databases: ['shop'] }, names, oneLevel)).toEqual(['shop/orders']);
    expect(verdicts({ databases: ['!HR'] }, names, oneLevel)).toEqual(['shop/orders', 'SHOP/orders']);
    expect(verdicts({ tables: ['mysql.user'] }, names, oneLevel)).toEqual(['mysql/user']);
  });

  it('knows which databases and schemas it has anything in', () => {
    const scope = createScope([{ databases: ['shop*', '!shop_old'], schemas: ['app', 'hr'], tables: ['app.*'] }], twoLevels);
    expect(['shop', 'shop_2', 'shop_old', 'x'].filter((name) => scope?.allowsDatabase(name))).toEqual(['shop', 'shop_2']);
    expect(['app', 'hr', 'public'].filter((name) => scope?.allowsSchema(name))).toEqual(['app']);
  });

  it('says what is inside, and not whether what is outside exists', () => {
    const scope = createScope([{ schemas: ['app'], tables: ['orders', '!old'] }, { databases: ['shop'] }], twoLevels);
    expect(scope?.refuse('hr.salaries', 15)).toMatchObject({
      code: 'E_OUT_OF_SCOPE',
      position: 15,
      message:
        'hr.salaries is not in the scope of this connection, which is schemas app; tables orders, !old, and also databases shop',
    });
  });

  it('takes the signs of patterns as they are', () => {
    expect(verdicts({ tables: ['a+b(c)'] }, ['s/a+b(c)', 's/aab', 's/a+b(c)d'])).toEqual(['s/a+b(c)']);
  });
});
