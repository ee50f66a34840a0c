import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../use-temp-folder.ts';

export interface BuiltLibrary {
  /** The built entry. */
  file: string;
  /** The function that it exports. */
  creates: string;
  app: string;
  /** A connection to an address where no server answers. */
  connection: Readonly<Record<string, unknown>>;
}

interface Outcome {
  /** What the import alone did with files, sockets, threads and programs. */
  imported: Access[];
  /** The same until the first tool had answered. */
  all: Access[];
  /** What is open after the import and was not before. */
  handles: string[];
  listed: string;
}

interface Access {
  call: string;
  target: string;
}

const run = promisify(execFile);
const recorder = pathToFileURL(fileURLToPath(new URL('./record-access.mjs', import.meta.url))).href;

/** What a program gets that imports the package, in a process of its own. */
export function describeLibrary({ file, creates, app, connection }: BuiltLibrary): void {
  describe(`${creates} in a program`, () => {
    const folder = useTempFolder();

    /** The user has configured a connection in each of the three places. */
    async function start(options: Readonly<Record<string, unknown>>, last = ''): Promise<Outcome> {
      const named = (name: string) => JSON.stringify({ version: 1, connections: [{ ...connection, name }] });
      mkdirSync(folder.at('.config', app), { recursive: true });
      writeFileSync(folder.at('.config', app, 'connections.json'), named('stored'), { mode: 0o600 });
      writeFileSync(folder.at(`.${app}.json`), named('project'));
      const source = `
        const before = process.getActiveResourcesInfo();
        const { ${creates} } = await import(${JSON.stringify(pathToFileURL(file).href)});
        const imported = [...accesses];
        const handles = process.getActiveResourcesInfo().filter((name) => !before.includes(name) && name !== 'CloseReq');
        const mole = await ${creates}(${JSON.stringify(options)});
        const { content } = await mole.call('list_connections');
        const all = [...accesses];
        ${last}
        console.log(JSON.stringify({ imported, all, handles, listed: content[0].text }));
      `;
      const { stdout } = await run(process.execPath, ['--import', recorder, '--input-type=module', '--eval', source], {
        cwd: folder.path,
        env: {
          PATH: process.env.PATH,
          HOME: folder.path,
          [`${app.toUpperCase()}_CONNECTIONS`]: JSON.stringify([{ ...connection, name: 'variable' }]),
        },
        timeout: 30_000,
      });
      // The line above has written it.
      return JSON.parse(stdout) as Outcome;
    }

    /** The loader reads modules through the same functions on some versions of Node. */
    const outside = (accesses: readonly Access[]) =>
      accesses.filter(({ target }) => !target.startsWith(pathToFileURL(dirname(file)).href) && !target.startsWith(dirname(file)));

    it('opens nothing and reads nothing by being imported', async () => {
      const { imported, handles } = await start({ connections: [connection] });
      expect(outside(imported)).toEqual([]);
      expect(handles).toEqual([]);
    });

    it('reads no file and no configuration of the user when connections are given', async () => {
      const { all, listed } = await start({ connections: [connection] });
      expect(outside(all)).toEqual([]);
      expect(listed).toContain(String(connection.name));
      expect(listed).not.toMatch(/stored|project|variable/);
    });

    it('reads the configuration when it is asked to', async () => {
      const { all, listed } = await start({ connections: [connection], fromConfiguration: true });
      expect(outside(all).map(({ target }) => target)).toContainEqual(expect.stringContaining('connections.json'));
      for (const name of [String(connection.name), 'stored', 'variable']) expect(listed).toContain(name);
    });

    it('lets the process end, with calls behind it or not', async () => {
      const call = `
        const { isError } = await mole.call('test_connection', { name: ${JSON.stringify(connection.name)} });
        if (isError !== true) throw new Error('something answered');
        await mole.dispose();
      `;
      await expect(start({ connections: [connection] }, call)).resolves.toHaveProperty('listed');
    });
  });
}
