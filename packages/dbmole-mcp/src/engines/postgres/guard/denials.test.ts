import { describe, expect, it } from 'vitest';
import {
  deniedFunctions,
  findables,
  findCallDenial,
  findFunctionDenial,
  findReach,
  findRelationDenial,
  findUnreviewedDenial,
} from './denials.ts';
import { reviewedBuiltins } from './server-facts.ts';

const use = (name: string, schema?: string, args = 1) => ({ name, schema, args, at: 0, isNamed: false });

describe('the lists', () => {
  const names = deniedFunctions.flatMap(({ name, isPrefix }) => (isPrefix ? [] : name));
  const prefixes = deniedFunctions.flatMap(({ name, isPrefix }) => (isPrefix ? name : []));
  const finders = deniedFunctions.flatMap(({ name, unless }) => (findables.some((one) => one === unless) ? name : []));

  it('name each function once, as the parser would', () => {
    const all = [...names, ...prefixes, ...reviewedBuiltins];
    expect(all.length).toBeGreaterThan(250);
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
    expect(all.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  it('give every name a reason, and one of the ways to pass that there are', () => {
    expect(deniedFunctions.filter(({ reason }) => !/^[a-z].*[a-z]$/.test(reason))).toEqual([]);
    const ways = new Set(deniedFunctions.map(({ unless }) => unless));
    expect(ways).toEqual(new Set([undefined, 'small', 'relation', 'schema', 'text', ...findables]));
  });

  it('have no name that a prefix has already, and no short prefix', () => {
    expect(names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))).toEqual([]);
    expect(prefixes.filter((prefix) => prefix.length < 5)).toEqual([]);
  });

  it('do not contradict each other', () => {
    const allowed = [...reviewedBuiltins, ...finders];
    expect(allowed.filter((name) => findFunctionDenial('pg_catalog', name) !== undefined)).toEqual([]);
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
    expect(findCallDenial(call)?.reason).toMatch(/^[a-z].*[a-z]$/);
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
    expect(findCallDenial(call)).toBeUndefined();
  });

  it('is not there for what is named in a constant, and looked at as a relation', () => {
    expect(findCallDenial({ ...use('table_to_xml'), isNamed: true })).toBeUndefined();
  });

  it('a denied relation needs its own schema, or none', () => {
    expect(findRelationDenial({ schema: undefined, name: 'pg_authid' })?.hint).toContain('pg_roles');
    expect(findRelationDenial({ schema: 'pg_catalog', name: 'pg_authid' })).toBeDefined();
    expect(findRelationDenial({ schema: 'mine', name: 'pg_authid' })).toBeUndefined();
    expect(findRelationDenial({ schema: undefined, name: 'pg_roles' })).toBeUndefined();
  });

  it('is there for new functions of a server, but not for those of users', () => {
    const unreviewed = new Set(['pg_explode']);
    expect(findUnreviewedDenial(use('pg_explode'), unreviewed)?.reason).toContain('new');
    expect(findUnreviewedDenial(use('pg_explode', 'app'), unreviewed)).toBeUndefined();
    expect(findUnreviewedDenial(use('lower'), unreviewed)).toBeUndefined();
  });

  it('may depend on what the function finds', () => {
    expect(findReach(use('database_to_xml', 'pg_catalog'))).toBe('relations');
    expect(findReach(use('schema_to_xml'))).toBe('relations');
    expect(findReach(use('table_to_xml'))).toBeUndefined();
    expect(findReach(use('database_to_xml', 'app'))).toBeUndefined();
    expect(findReach(use('pg_input_is_valid'))).toBe('types');
    expect(findReach(use('bt_index_check', 'ext'))).toBe('indexes');
  });
});
