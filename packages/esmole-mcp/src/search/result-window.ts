/** Beyond this, a cluster gives no page by its number. */
export const resultWindow = 10_000;
