import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillCase, type GuardCase, isFor, readCases } from './case-file.ts';
import { type Attacker, acceptable, openAttacker } from './mysql-attack.ts';
import { type GuardServer, guardEngines, type Role, serverOf, useGuardServer } from './mysql-guarded.ts';
import { useMode } from './mysql-mode.ts';
import { compareStates, type ServerState } from './mysql-server-state.ts';
import { useSite } from './mysql-site.ts';

const site = useSite();
const cases = readCases('mysql-attacks');
const roles: readonly Role[] = ['superuser', 'owner', 'reader'];
/** The session itself says this before each read. */
const ourOwn = 'START TRANSACTION READ ONLY';

describe.each(guardEngines)('attacks on %s', (id) => {
  const server = useGuardServer(id, site);
  const all = cases.filter((one) => isFor(one, serverOf(id)));
  const modes = [...new Set(all.map(readMode))];
  const refused: string[] = [];
  let start: ServerState;
  beforeAll(async () => {
    start = await server().readState();
  });

  it('has many attack cases', () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
  });

  describe.each(modes)('in mode "%s"', (mode) => {
    useMode(server, mode);
    describe.each(mode === '' ? roles : roles.slice(0, 2))('as %s', (role) => {
      let attacker: Attacker;
      beforeAll(async () => {
        attacker = await openAttacker(server(), role);
      });
      afterAll(() => attacker.close());

      it.for(all.filter((one) => readMode(one) === mode && isTriedBy(one, role)))('$id: $why', async (one, { skip }) => {
        if (one.notes.needs === 'library' && site.noLibrary !== undefined) skip(site.noLibrary);
        const { end, detail, effects } = await attacker.attack(one);
        expect(effects, `${one.sql}\n${detail}`).toEqual([]);
        expect(acceptable(one), `${one.sql}\n${detail}`).toContain(end);
        if (one.verdict === 'refuse') refused.push(fillCase(one.sql, server().values(role)));
      });
    });
  });

  it('leaves the server unchanged and never runs a refused attack', async () => {
    const ran = readRun(server());
    expect(ran.size).toBeGreaterThan(100);
    expect(refused.filter((sql) => sql !== ourOwn && ran.has(toBytes(sql)))).toEqual([]);
    expect(compareStates(start, await server().readState()).filter(isLasting)).toEqual([]);
  });
});

function readMode({ notes }: GuardCase): string {
  return notes.mode ?? '';
}

/** The text check does not depend on the account; the check of dependencies does. */
const ofText = /^(multi|tx|xa|dml|ddl|user|set|compound|comment|glued|literal|flush|explain|empty)-/;

function isTriedBy({ id, notes }: GuardCase, role: Role): boolean {
  if (role === 'reader' && (ofText.test(id) || notes.mode !== undefined)) return false;
  return (notes.as ?? roles.join(' ')).split(' ').includes(role);
}

/** A line of the server's log on which an entry begins: when, which session, and what it did. */
const entryHead = /^(?:\S+Z|\d{6} +[\d:]+|)\t+ *(\d+) ([A-Z]\w+(?: \w+)?)\t/m;

/** The texts that the server ran for others than the observer. To prepare a statement is not to run it. */
function readRun({ readLog, observer }: GuardServer): Set<string> {
  const parts = readLog().split(entryHead);
  const ran = new Set<string>();
  for (let at = 1; at < parts.length; at += 3) {
    const [session, command, text = ''] = parts.slice(at, at + 3);
    if (Number(session) !== observer.threadId && command !== 'Prepare') ran.add(text.replace(/\n$/, ''));
  }
  return ran;
}

function toBytes(sql: string): string {
  return Buffer.from(sql, 'utf8').toString('latin1');
}

/** A rebuilt fixture has other times. */
function isLasting(line: string): boolean {
  return !/^(tables|routines|statistics|tableIds|accounts|rights|tablespaces)/.test(line);
}
