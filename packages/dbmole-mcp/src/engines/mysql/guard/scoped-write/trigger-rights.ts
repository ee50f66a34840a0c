import { matchesGlob } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';
import { parseGrants } from '../../audit/grants.ts';
import type { ObjectName } from '../catalog/guard-queries.ts';

const ageMs = 60_000;

/** Without the privilege TRIGGER, the catalog shows no triggers. */
export class TriggerRights {
  #known: { lines: readonly string[]; until: number } | undefined;

  async areSeen({ schema, name }: ObjectName, run: CatalogQuestion): Promise<boolean> {
    if (this.#known === undefined || this.#known.until < performance.now())
      this.#known = { lines: await readLines(run), until: performance.now() + ageMs };
    const { grants } = parseGrants(this.#known.lines);
    return grants.some(({ level, privileges, ...grant }) => {
      if (!privileges.some((one) => one === 'TRIGGER' || one === 'ALL PRIVILEGES')) return false;
      if (level === 'server') return true;
      if (level === 'database') return matchesGlob(toGlob(grant.schema), schema);
      return level === 'table' && grant.schema === schema && grant.name === name;
    });
  }

  forget(): void {
    this.#known = undefined;
  }
}

async function readLines(run: CatalogQuestion): Promise<readonly string[]> {
  const lines = (await run('SHOW GRANTS')).map(([line]) => line ?? '');
  const { roles } = parseGrants(lines);
  // MariaDB lists the rights of the active role with those of the account.
  const [row] = roles.length === 0 ? [] : await run('SELECT CURRENT_ROLE(), VERSION()');
  const [active, version = ''] = row ?? [];
  if (active == null || active === 'NONE' || /mariadb/i.test(version ?? '')) return lines;
  return (await run(`SHOW GRANTS FOR CURRENT_USER() USING ${active}`)).map(([line]) => line ?? '');
}

/** The name of a database in a grant is a pattern. A star in it is a letter that no pattern has, so it matches nothing. */
function toGlob(name: string): string {
  return name.replace(/\\([%_\\])|[%_*?]/g, (found, literal?: string) => literal ?? wildcards.get(found) ?? '\0');
}

const wildcards: ReadonlyMap<string, string> = new Map([
  ['%', '*'],
  ['_', '?'],
]);
