import { fileURLToPath } from 'node:url';

/** The built program; `npm test` builds it first. */
export const bin = fileURLToPath(new URL('../dist/main.js', import.meta.url));
