/** A cluster gives no page by offset beyond this. */
export const resultWindow = 10_000;
