import type { Findings, FoundConnection, Importer, ImportPlace } from '@dbmole/core';
import { openPgpass, type PgpassLine, parsePgpass } from '../password-files/pgpass.ts';
import { foundConnection, nameOfPlace } from './found-connection.ts';
import { myCnfImporter } from './import-my-cnf.ts';
import { pgServiceImporter } from './import-pg-service.ts';
import { projectImporter } from './import-project.ts';
import { dotEnvImporter, environmentImporter } from './url-variables.ts';

/** Lines that say a host and a user; those with a `*` there fit connections that only a person can name. */
const pgpassImporter: Importer = { source: '.pgpass', find };

function find(place: ImportPlace): Findings {
  const file = openPgpass(place);
  if (file === undefined) return { found: [], notes: [] };
  const lines = parsePgpass(file.text);
  const found = lines.flatMap((line) => fromLine(line, file.path) ?? []);
  const left = lines.length - found.length;
  const notes = left === 0 ? [] : [`${file.path}: ${left} of ${lines.length} lines name no host or no user, or a socket`];
  return { found, notes };
}

function fromLine({ host, port, database, user }: PgpassLine, path: string): FoundConnection | undefined {
  if (!host || !user || host.startsWith('/')) return undefined;
  return foundConnection({
    name: nameOfPlace({ host, ...(database !== undefined && { database }) }),
    fields: {
      type: 'postgres',
      host,
      user,
      ...(port !== undefined && { port: Number(port) }),
      ...(database !== undefined && { database }),
    },
    references: { password: { from: 'pgpass' } },
    password: `read from ${path}`,
  });
}

/** The first source of a connection counts: files exist for every way of starting the server, variables may not. */
export const importers: readonly Importer[] = [
  pgServiceImporter,
  pgpassImporter,
  myCnfImporter,
  environmentImporter,
  dotEnvImporter,
  projectImporter,
];
