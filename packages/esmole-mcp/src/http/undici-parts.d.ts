/** The parts of the HTTP client that we use, by themselves: all of it takes three times as long to load, and twice the memory. */
declare module 'undici/lib/dispatcher/pool.js' {
  const pool: typeof import('undici').Pool;
  export = pool;
}
