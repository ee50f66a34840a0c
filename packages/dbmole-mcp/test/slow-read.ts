/**
 * A read that takes longer than any test waits, and that an engine can stop at once. The mark is how the test finds it among what
 * runs. Where waiting is not a read, it counts pairs of a short table that every account sees, which takes minutes.
 */
export function formatSlowRead(type: 'postgres' | 'mysql', mark = 'slow'): string {
  if (type === 'postgres') return `select pg_sleep(45) /* ${mark} */`;
  const tables = ['a', 'b', 'c', 'd', 'e'].map((alias) => `information_schema.collations ${alias}`);
  return `select count(*) from ${tables.join(' cross join ')} /* ${mark} */`;
}
