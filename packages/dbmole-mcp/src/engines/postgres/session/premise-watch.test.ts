import { describe, expect, it } from 'vitest';
import { TypeCatalog } from '../values/type-names.ts';
import { UserRows } from '../values/user-rows.ts';
import { LookedRows, momentSql, PremiseWatch } from './premise-watch.ts';

const full = { sql: 'p', full: true };
/** The query does not ask whether this is a standby. */
const short = (moment: string) => ({
  sql: `${momentSql.slice(momentSql.indexOf('then ') + 5, -4)} operator(pg_catalog.=) ${moment}`,
  full: false,
});

describe('PremiseWatch', () => {
  it('asks nothing where there is no premise', () => {
    expect(new PremiseWatch().lookAt(undefined)).toBeUndefined();
    expect(new PremiseWatch().lookAt('')).toBeUndefined();
  });

  it('asks for the moment alone once it was the same twice', () => {
    const watch = new PremiseWatch();
    expect(watch.lookAt('p')).toEqual(full);
    watch.sawTrue('p', '7:7:{public}');
    expect(watch.lookAt('p')).toEqual(full);
    watch.sawTrue('p', '7:7:{public}');
    expect(watch.lookAt('p')).toEqual(short("'7:7:{public}'"));
    expect(watch.lookAt('p')).toEqual(short("'7:7:{public}'"));
  });

  it('asks for all of it while every moment is another one, and where there are none', () => {
    const watch = new PremiseWatch();
    for (const moment of ['7', '8', '9', undefined, undefined, undefined, '9']) {
      watch.sawTrue('p', moment);
      expect(watch.lookAt('p')).toEqual(full);
    }
  });

  it('asks for all of it after a change, until it is quiet again', () => {
    const watch = new PremiseWatch();
    watch.sawTrue('p', '7');
    watch.sawTrue('p', '7');
    watch.sawChange();
    expect(watch.lookAt('p')).toEqual(full);
    watch.sawTrue('p', '8');
    expect(watch.lookAt('p')).toEqual(full);
    watch.sawTrue('p', '8');
    expect(watch.lookAt('p')).toEqual(short("'8'"));
  });

  it('knows nothing of another premise', () => {
    const watch = new PremiseWatch();
    watch.sawTrue('p', '7');
    watch.sawTrue('p', '7');
    expect(watch.lookAt('q')).toEqual({ sql: 'q', full: true });
    watch.sawTrue('q', '7');
    expect(watch.lookAt('q')).toEqual({ sql: 'q', full: true });
    expect(watch.lookAt('p')).toEqual(full);
  });

  it('writes names of schemas as the server reads them', () => {
    const watch = new PremiseWatch();
    for (let twice = 0; twice < 2; twice++) watch.sawTrue('p', String.raw`7{"it's\"so\""}`);
    expect(watch.lookAt('p')).toEqual(short(String.raw`E'7{"it''s\\"so\\""}'`));
  });
});

describe('LookedRows', () => {
  it('takes one row of the look, however many the server sends', () => {
    const sink = { columns: () => undefined, row: () => true };
    const looked = new LookedRows(new UserRows(sink, { keepPerCell: 100 }, new TypeCatalog()));
    looked.describe([]);
    expect([looked.row(['first']), looked.row(['second'])]).toEqual([true, false]);
    expect(looked.moment).toBe('first');
  });
});
