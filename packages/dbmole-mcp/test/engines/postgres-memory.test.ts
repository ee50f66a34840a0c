import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EngineAddress, useEngine } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';

interface Seen {
  seen: unknown[];
  alive: string;
  /** Megabytes. */
  grown: number;
}

const reader = join(import.meta.dirname, 'postgres-reader.ts');

async function readInChild({ host, port, user, password, database }: EngineAddress, statements: string[]): Promise<Seen> {
  const address = JSON.stringify({ host, port, user, password, database });
  const args = ['--import', 'tsx', reader, address, JSON.stringify(statements)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 110_000 });
  // Our own reader wrote it.
  return JSON.parse(stdout) as Seen;
}

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(`memory with ${id}`, () => {
    // The error would be written into the server's log as well, which is on disk.
    const server = useEngine(id, { settings: { log_min_messages: 'panic', log_min_error_statement: 'panic' } });

    it('does not grow with one huge cell', async () => {
      const { seen, alive, grown } = await readInChild(server(), ["select repeat('x', 600000000)"]);
      expect(seen).toEqual([{ text: 'x'.repeat(1000), length: 600_000_000, unit: 'bytes' }]);
      expect(alive).toBe('alive');
      expect(grown).toBeLessThan(110);
    });

    it('does not grow with a huge error message', async () => {
      const { seen, alive, grown } = await readInChild(server(), ["select ('x' || repeat('y', 600000000))::int"]);
      expect(seen).toEqual([expect.any(Number)]);
      expect(Number(seen[0])).toBeLessThan(16_000);
      expect(alive).toBe('alive');
      expect(grown).toBeLessThan(110);
    });

    it('does not grow with the number of rows', async () => {
      const { seen, alive, grown } = await readInChild(server(), ['count:select g, g::text from generate_series(1, 5000000) g']);
      expect(seen).toEqual([5_000_000]);
      expect(alive).toBe('alive');
      expect(grown).toBeLessThan(110);
    });
  });
}
