/** The parts of the HTTP client that we use, by themselves: all of it takes three times as long to load, and twice the memory. */
declare module 'undici/lib/dispatcher/pool.js' {
  const pool: typeof import('undici').Pool;
  export = pool;
}

/** What the whole package makes the method `request` of every dispatcher. */
declare module 'undici/lib/api/api-request.js' {
  type Dispatcher = import('undici').Dispatcher;
  type Options = import('undici').Dispatcher.RequestOptions;
  type Response = import('undici').Dispatcher.ResponseData;
  const request: (this: Dispatcher, options: Options) => Promise<Response>;
  export = request;
}
