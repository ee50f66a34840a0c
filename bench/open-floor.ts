import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunningEngine } from '@dbmole/engines';

const program = fileURLToPath(new URL('read-floor.mjs', import.meta.url));

/** A process that does no more than a read by any server over stdio needs. */
export interface Floor {
  query(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

export function openFloor({ host, port, user, password }: RunningEngine, node: string): Floor {
  const connection = JSON.stringify({ host, port, user, password, database: 'postgres' });
  const env = { PATH: process.env.PATH ?? '', CONNECTION: connection };
  const child = spawn(node, [program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line));
  const exited = once(child, 'exit');
  return {
    query: (sql) =>
      new Promise((resolve, reject) => {
        waiting.push((line) => resolve(JSON.parse(line)));
        void exited.then(() => reject(new Error('the floor ended before it answered')));
        child.stdin.write(`${JSON.stringify({ id: 1, sql })}\n`);
      }),
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}
