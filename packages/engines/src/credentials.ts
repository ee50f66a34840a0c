/**
 * This is not a secret: these servers listen on loopback and hold test data. It is odd enough to be searched for in what we print.
 * PostgreSQL's template in the cache contains it, so a new one needs a new name of the template.
 */
export const enginePassword = 'Wurf-41-hill';

/** Every SQL engine has this one, empty. */
export const engineDatabase = 'test';
