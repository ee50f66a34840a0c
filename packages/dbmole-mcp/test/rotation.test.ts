import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText, ServerProcess } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { createAccount, runDirect } from './direct.ts';

/** A password manager that is asked by a command, and a password that is changed while the server runs. */
describe.each(['postgres18', 'mysql97', 'mariadb1011'] as const)('%s', (id) => {
  const engine = useEngine(id, { shared: true });

  it('a changed password is read a second time, and a wrong one is not sent again', async () => {
    const { password, ...account } = await createAccount(engine(), `rotation_${process.pid}`);
    const server = new ServerProcess({ file: bin });
    const at = (name: string) => join(server.home, name);
    const folder = join(server.home, '.config', 'dbmole');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const command = ['sh', '-c', `echo run >> ${at('runs')}; cat ${at('vault')}`];
    const connection = { ...account, name: 'shop', tls: 'disable', password: { command } };
    writeFileSync(join(folder, 'connections.json'), JSON.stringify({ version: 1, connections: [connection] }), { mode: 0o600 });
    const runs = () => readFileSync(at('runs'), 'utf8').split('\n').length - 1;
    const keep = (text: string) => writeFileSync(at('vault'), text);
    /** Changes the password like an operator: from now on this one counts, and sessions with the old one end. */
    async function change(to: string): Promise<void> {
      if (engine().scheme === 'postgres') {
        await runDirect(engine(), [
          `alter role ${account.user} password '${to}'`,
          `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${account.user}'`,
        ]);
        return;
      }
      await runDirect(engine(), [`alter user '${account.user}'@'%' identified by '${to}'`]);
      const ids = await runDirect(engine(), [`select id from information_schema.processlist where user = '${account.user}'`]);
      await runDirect(
        engine(),
        ids.map(([one]) => `kill ${one}`),
      );
    }
    const ask = async () => readText(await server.callTool('query', { sql: 'select 40 + 2 as answer' }));
    try {
      keep(password);
      await server.initialize();
      expect(await ask()).toMatch(/^42$/m);
      expect(await ask()).toMatch(/^42$/m);
      expect(runs()).toBe(1);
      await change('second-Pw-2');
      keep('second-Pw-2');
      expect(await ask()).toMatch(/^42$/m);
      expect(runs()).toBe(2);
      await change('third-Pw-3');
      expect(await ask()).toContain('E_AUTH');
      expect(runs()).toBe(3);
      keep('third-Pw-3');
      expect(await ask()).toMatch(/^42$/m);
      expect(runs()).toBe(4);
    } finally {
      await server.stop();
    }
  });
});
