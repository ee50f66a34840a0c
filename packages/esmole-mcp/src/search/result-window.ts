/** A cluster gives no page by offset beyond this. */
export const resultWindow = 10_000;

/** How far into a long text a search can begin; what is before it is read and dropped. */
export const maxCellOffset = 16_000_000;
