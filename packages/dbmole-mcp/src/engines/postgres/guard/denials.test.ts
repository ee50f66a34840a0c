import { describe, expect, it } from 'vitest';
import { denialOfCall, denialOfFunction, denialOfRelation, denialOfUnreviewed, isDynamic } from './denials.ts';
import { deniedBuiltins, dynamicBuiltins } from './denied-builtins.ts';
import { deniedExtensions } from './denied-extensions.ts';
import { reviewedBuiltins } from './reviewed-builtins.ts';

const use = (name: string, schema?: string, args = 1) => ({ name, schema, args, at: 0, isNamed: false });

describe('the lists', () => {
  const groups = [...deniedBuiltins, ...deniedExtensions];
  const names = groups.flatMap((group) => group.names ?? []);
  const prefixes = groups.flatMap((group) => group.prefixes ?? []);

  it('name each function once, as the parser would', () => {
    const all = [...names, ...prefixes, ...dynamicBuiltins, ...reviewedBuiltins];
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
    expect(all.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  it('have no name that a prefix has already, and no short prefix', () => {
    expect(names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))).toEqual([]);
    expect(prefixes.filter((prefix) => prefix.length < 5)).toEqual([]);
  });

  it('do not contradict each other', () => {
    const allowed = [...reviewedBuiltins, ...dynamicBuiltins];
    expect(allowed.filter((name) => denialOfFunction('pg_catalog', name) !== undefined)).toEqual([]);
  });
});

describe('a denial', () => {
  it.each([
    use('nextval'),
    use('nextval', 'pg_catalog'),
    use('pg_read_file_old'),
    use('dblink'),
    use('dblink_exec', 'public'),
    use('crosstab4', 'ext'),
    use('whatever', 'cron'),
    use('publish', 'amqp'),
    use('oracle_execute', 'ext'),
    use('set_user', 'ext'),
    use('pldbg_attach_to_port'),
    use('ts_rewrite', undefined, 2),
    use('domain_in', undefined, 3),
    use('isn_weak', 'ext', 1),
    use('table_to_xml', undefined, 4),
    use('schema_to_xml', 'pg_catalog', 4),
    use('get_raw_page', 'ext', 2),
  ])('is there for $schema.$name', (call) => {
    expect(denialOfCall(call)?.reason).toMatch(/^[a-z].*[a-z]$/);
  });

  it.each([
    use('nextval', 'public'),
    use('lo_export', 'app'),
    use('lower'),
    use('lo_get'),
    use('currval'),
    use('pg_sleep'),
    use('constructor'),
    use('ts_rewrite', undefined, 3),
    use('http_status', 'app'),
    use('isn_weak', 'ext', 0),
  ])('is not there for $schema.$name', (call) => {
    expect(denialOfCall(call)).toBeUndefined();
  });

  it('is not there for what is named in a constant, and looked at as a relation', () => {
    expect(denialOfCall({ ...use('table_to_xml'), isNamed: true })).toBeUndefined();
  });

  it('of a relation needs its own schema, or none', () => {
    expect(denialOfRelation({ schema: undefined, name: 'pg_authid' })?.hint).toContain('pg_roles');
    expect(denialOfRelation({ schema: 'pg_catalog', name: 'pg_authid' })).toBeDefined();
    expect(denialOfRelation({ schema: 'mine', name: 'pg_authid' })).toBeUndefined();
    expect(denialOfRelation({ schema: undefined, name: 'pg_roles' })).toBeUndefined();
  });

  it('is there for what is new in a server, unless somebody made it himself', () => {
    const unreviewed = new Set(['pg_explode']);
    expect(denialOfUnreviewed(use('pg_explode'), unreviewed)?.reason).toContain('new');
    expect(denialOfUnreviewed(use('pg_explode', 'app'), unreviewed)).toBeUndefined();
    expect(denialOfUnreviewed(use('lower'), unreviewed)).toBeUndefined();
  });

  it('may depend on what the function finds', () => {
    expect(isDynamic(use('database_to_xml', 'pg_catalog'))).toBe(true);
    expect(isDynamic(use('schema_to_xml'))).toBe(true);
    expect(isDynamic(use('table_to_xml'))).toBe(false);
    expect(isDynamic(use('database_to_xml', 'app'))).toBe(false);
    expect(isDynamic(use('bt_index_check', 'ext'))).toBe(true);
  });
});
