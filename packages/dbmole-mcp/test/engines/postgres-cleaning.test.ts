import { connect, type Socket } from 'node:net';
import { type EngineAddress, useEngine } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/engine.ts';
import { engine } from '../../src/engines/postgres/engine.ts';
import { dialDirectly, forever, pidOf, read, targetOf, until, value, withServer } from './postgres-fixture.ts';

const acknowledgementMs = 40;

/** The head of what ends an answer, which has one more byte. The server sends each answer at once. */
const answerEnd = Buffer.from('Z\0\0\0\x05', 'latin1');

function splitAnswers(chunk: Buffer): Buffer[] {
  const at = chunk.indexOf(answerEnd);
  const end = at + answerEnd.length + 1;
  return at < 0 || end >= chunk.length ? [chunk] : [chunk.subarray(0, end), ...splitAnswers(chunk.subarray(end))];
}

/** One small packet at a time, as sshd sends them: the next one when the client has sent something, or after a while. */
function holdPackets(near: Socket, far: Socket): void {
  let held: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  const acknowledge = () => {
    clearTimeout(timer);
    timer = undefined;
    if (held.length === 0) return;
    near.write(Buffer.concat(held));
    held = [];
    timer = setTimeout(acknowledge, acknowledgementMs);
  };
  far.on('data', (chunk) => {
    for (const packet of splitAnswers(chunk)) {
      held.push(packet);
      if (timer === undefined) acknowledge();
    }
  });
  near.on('data', acknowledge);
}

interface Way {
  hold?: boolean;
  /** What becomes of what we send. */
  change?: (chunk: Buffer) => Buffer;
}

async function withWay(server: EngineAddress, { hold = false, change }: Way, use: (address: EngineAddress) => Promise<void>) {
  const pass = (near: Socket) => {
    const far = connect({ port: server.port, host: server.host, noDelay: true });
    far.on('error', () => near.destroy());
    near.on('data', (chunk) => far.write(change?.(chunk) ?? chunk));
    near.on('close', () => far.destroy());
    if (hold) holdPackets(near.setNoDelay(true), far);
    else far.pipe(near);
  };
  await withServer(pass, ({ host, port }) => use({ ...server, host, port }));
}

/** As through an SSH server, whose stream it dials. */
async function withTunnelled(address: EngineAddress, use: (session: Session) => Promise<void>): Promise<void> {
  const session = await engine.openSession({ ...targetOf(address), dial: () => dialDirectly(address) }, forever);
  await use(session).finally(() => session.close());
}

async function timeReads(session: Session, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let left = count; left > 0; left -= 1) {
    const started = performance.now();
    await value(session, 'select 1');
    times.push(performance.now() - started);
  }
  return times;
}

const middleOf = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

describe.each(['postgres14', 'postgres18'] as const)('the cleaning behind a read on %s', (id) => {
  const server = useEngine(id, { shared: true });

  it('is answered with the read where one small packet is sent at a time, through a tunnel', async () => {
    await withWay(server(), { hold: true }, (address) =>
      withTunnelled(address, async (session) => {
        await value(session, 'select 1');
        expect(middleOf(await timeReads(session, 9))).toBeLessThan(acknowledgementMs / 2);
      }),
    );
  });

  it('is answered with the read after a while where nothing says that there is a tunnel', async () => {
    await withWay(server(), { hold: true }, async (address) => {
      const session = await engine.openSession(targetOf(address), forever);
      await timeReads(session, 5);
      expect(middleOf(await timeReads(session, 9))).toBeLessThan(acknowledgementMs / 2);
      await session.close();
    });
  });

  it('leaves nothing of the read to the next one, whether it failed, had enough or came to its end', async () => {
    await withTunnelled(server(), async (session) => {
      const pid = await pidOf(session);
      const leaving = "set_config('mole.left', 'x', false), pg_advisory_lock(7)";
      await read(session, `select ${leaving}`);
      await expect(read(session, `select ${leaving}, 1 / (random() * 0)::int`)).rejects.toMatchObject({ engineCode: '22012' });
      await read(session, `select ${leaving} from generate_series(1, 1000000)`, { takes: 1, maxRows: undefined });
      const seen = await read(
        session,
        `select pg_backend_pid(), coalesce(current_setting('mole.left', true), ''), current_setting('transaction_read_only'),
          (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())`,
      );
      expect(seen.rows).toEqual([[pid, '', 'on', '0']]);
    });
  });

  it('ends the session when it fails, and not the read before it', async () => {
    const change = (chunk: Buffer) => Buffer.from(chunk.toString('latin1').replace('discard all', 'discard alx'), 'latin1');
    let isChanged = false;
    await withWay(server(), { change: (chunk) => (isChanged ? change(chunk) : chunk) }, (address) =>
      withTunnelled(address, async (session) => {
        await value(session, 'select 1');
        isChanged = true;
        expect(await value(session, "select 'whole'")).toBe('whole');
        await until(async () => !session.alive);
      }),
    );
  });
});
