import type { SecretContext } from '../registry/secrets/secret-context.ts';
import type { Folder } from './temp-folder.ts';

/** The field `password` of a connection `prod` in a store; files lie in the folder. */
export function secretContext(folder: Folder, more: Partial<SecretContext> = {}): SecretContext {
  return {
    env: { ...process.env, PW: 'from-the-environment', EMPTY: '' },
    origin: { kind: 'store', where: '/store.json' },
    connection: 'prod',
    field: 'password',
    base: folder.path,
    home: folder.at('home'),
    ...more,
  };
}
