import { readFileSync } from 'node:fs';
import { Client, type ClientConfig } from 'pg';
import { fillCase } from './case-file.ts';

/** Statements that one role runs together. */
interface Section {
  readonly as: string;
  /** `>=18` or `<18`. */
  readonly bound: string | undefined;
  /** Needs what not every machine has. */
  readonly optional: boolean;
  readonly sql: string;
}

export interface SectionRun {
  /** The superuser's; the owner logs in to the same database. */
  readonly login: ClientConfig;
  readonly owner: Pick<ClientConfig, 'user' | 'password'>;
  readonly version: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** The sections of `fixtures/<name>.sql`, each below a line `-- as: superuser`, with `>=18` or `optional` behind a comma. */
export function readSections(name: string): Section[] {
  const text = readFileSync(new URL(`./fixtures/${name}.sql`, import.meta.url), 'utf8');
  const parts = text.split(/^-- as: /m).slice(1);
  return parts.map((part) => {
    const [head = '', ...lines] = part.split('\n');
    const [as = '', ...words] = head.split(', ');
    const bound = words.find((word) => /^[<>]/.test(word));
    return { as, bound, optional: words.includes('optional'), sql: lines.join('\n') };
  });
}

export async function runSections(sections: readonly Section[], run: SectionRun): Promise<void> {
  const clients = { superuser: new Client(run.login), app: new Client({ ...run.login, ...run.owner }) };
  try {
    await clients.superuser.connect();
    await clients.app.connect();
    for (const section of sections) await runSection(clients[section.as === 'app' ? 'app' : 'superuser'], section, run);
  } finally {
    await clients.superuser.end();
    await clients.app.end();
  }
}

async function runSection(client: Client, { bound, optional, sql, as }: Section, { version, values }: SectionRun): Promise<void> {
  if (bound !== undefined && !isWithin(Number.parseInt(version, 10), bound)) return;
  try {
    await client.query(fillCase(sql, values));
  } catch (error) {
    if (!optional) throw new Error(`the section as ${as} that begins with "${sql.slice(0, 200)}" failed: ${error}`);
  }
}

function isWithin(major: number, bound: string): boolean {
  const wanted = Number(bound.replace(/^[<>]=?/, ''));
  return bound.startsWith('<') ? major < wanted : major >= wanted;
}
