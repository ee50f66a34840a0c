import type { RelationDenial } from './denials.ts';

const passwords = 'holds passwords';
const files = "reads the server's configuration files";
const settings = 'The settings in force are in pg_settings.';

/** Catalogs and views of PostgreSQL itself that show secrets or files, and lead to no denied function that the text would show. */
export const deniedRelations: readonly RelationDenial[] = [
  { schema: 'pg_catalog', name: 'pg_authid', reason: passwords, hint: 'Roles are listed in pg_roles.' },
  { schema: 'pg_catalog', name: 'pg_shadow', reason: passwords, hint: 'Users are listed in pg_user.' },
  { schema: 'pg_catalog', name: 'pg_user_mapping', reason: passwords, hint: 'See information_schema.user_mappings.' },
  { schema: 'pg_catalog', name: 'pg_user_mappings', reason: passwords, hint: 'See information_schema.user_mappings.' },
  {
    schema: 'information_schema',
    name: 'user_mapping_options',
    reason: passwords,
    hint: 'See information_schema.user_mappings.',
  },
  { schema: 'information_schema', name: '_pg_user_mappings', reason: passwords, hint: 'See information_schema.user_mappings.' },
  { schema: 'pg_catalog', name: 'pg_subscription', reason: passwords, hint: 'See pg_stat_subscription.' },
  { schema: 'pg_catalog', name: 'pg_hba_file_rules', reason: files, hint: settings },
  { schema: 'pg_catalog', name: 'pg_ident_file_mappings', reason: files, hint: settings },
  { schema: 'pg_catalog', name: 'pg_file_settings', reason: files, hint: settings },
];
