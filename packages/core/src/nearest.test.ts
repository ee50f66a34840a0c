import { describe, expect, it } from 'vitest';
import { nearestNames } from './nearest.ts';

describe('nearestNames', () => {
  it.each([
    ['wher', ['when', 'where'], ['where', 'when']],
    ['prdo', ['prod', 'staging', 'local'], ['prod']],
    ['prt', ['host', 'port', 'user'], ['port']],
    ['PROD', ['prod'], ['prod']],
    ['prod', ['prod_eu', 'prod_us', 'test', 'my_prod'], ['prod_eu', 'prod_us', 'my_prod']],
    ['customers', ['customer', 'orders'], ['customer']],
    ['nothing', ['prod', 'staging'], []],
    ['ab', ['xy'], []],
    ['', ['a', 'prod'], []],
    ['x', [], []],
  ])('%s', (wanted, candidates, expected) => {
    expect(nearestNames(wanted, candidates)).toEqual(expected);
  });

  it('answers no more than asked, the best first, each once', () => {
    const names = ['table_c', 'table_a', 'table_b', 'table_a', 'table_'];
    expect(nearestNames('table_a', names)).toEqual(['table_a', 'table_', 'table_b']);
    expect(nearestNames('table_a', names, 1)).toEqual(['table_a']);
  });

  it('copes with many and with long names', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `column_${index}`);
    expect(nearestNames('column_777', [...names, 'x'.repeat(100_000)])).toContain('column_777');
  });

  it('takes little time for many long names, and still finds one that contains the other', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => 'abcdefgh'.repeat(15) + index);
    const wanted = 'hgfedcba'.repeat(15);
    const started = performance.now();
    expect(nearestNames(wanted, [...names, `${wanted}_old`])).toEqual([`${wanted}_old`]);
    expect(performance.now() - started).toBeLessThan(700);
  });
});
