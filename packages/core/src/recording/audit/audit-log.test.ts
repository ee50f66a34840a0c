import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { respond } from '../../answer/respond.ts';
import { Failure } from '../../failure.ts';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import type { StatementFacts } from '../../tools/call-record.ts';
import { Recorder } from '../recorder.ts';
import { AuditFile } from './audit-file.ts';
import type { AuditLine } from './audit-line.ts';
import { AuditLog } from './audit-log.ts';
import { AuditReader } from './read-audit.ts';

const folder = useTempFolder();
const text = { text: 'update t set a = ?', fingerprint: 'f', summary: 'UPDATE t' };
const statement: StatementFacts = { kind: 'dml', writes: true, system: 'thing', database: 'shop', describe: () => text };
const ok = { failure: undefined, reply: respond.text('done') };

function openLog(path: string, options?: ConstructorParameters<typeof AuditLog>[2]) {
  const warnings: string[] = [];
  const sink = new AuditLog(path, (_level, message) => void warnings.push(message), options);
  const recorder = new Recorder({ program: 'thing-mcp', isTagged: true, sinks: [sink] });
  const begin = (traceparent?: string) => {
    const about = { client: { name: 'cursor', version: '1.2' }, traceparent };
    const record = recorder.begin({ tool: 'execute', about, origin: { door: 'stdio' } });
    record.found({ name: 'shop', readonly: false, facts: { user: 'app', host: 'db' } });
    return record;
  };
  const read = (): AuditLine[] => new AuditReader(path).readOn();
  return { recorder, begin, read, warnings };
}

describe('the audit log', () => {
  it('has a line before and after a change, and one for each read and refusal', async () => {
    const { recorder, begin, read } = openLog(folder.at('audit.jsonl'));
    const change = begin('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
    const end = change.begin(statement);
    expect(read()).toEqual([expect.objectContaining({ verdict: 'begun', text: text.text })]);
    end({ changed: 2 });
    change.end({ ...ok, confirmedBy: 'client' });
    const refused = begin();
    refused.begin({ ...statement, kind: 'read', writes: false })({ error: new Failure('refused', 'secret text') });
    refused.end({ failure: new Failure('refused', 'secret text', { code: 'E_NOT_A_READ' }), reply: respond.text('') });
    const failed = begin();
    failed.end({ failure: new Failure('engine', 'x', { engineCode: "it's 'data'" }), reply: respond.text('') });
    await recorder.close();
    expect(read().slice(1)).toEqual([
      {
        ...{ time: expect.stringMatching(/^\d{4}-.*Z$/), call: expect.stringMatching(/^[0-9a-f]{16}$/) },
        ...{ trace: '4bf92f3577b34da6a3ce929d0e0e4736', door: 'stdio', client: 'cursor 1.2' },
        ...{ principal: expect.stringMatching(/^local:/), connection: 'shop', account: 'app', database: 'shop', tool: 'execute' },
        ...{ kind: 'dml', ...{ text: text.text, fingerprint: 'f' }, verdict: 'ok', changed: 2, bytes: 4, ms: expect.any(Number) },
        confirmedBy: 'client',
      },
      expect.objectContaining({ kind: 'read', verdict: 'refused', code: 'E_REFUSED' }),
      expect.objectContaining({ tool: 'execute', verdict: 'error', code: 'E_ENGINE' }),
    ]);
    expect(readFileSync(folder.at('audit.jsonl'), 'utf8')).not.toMatch(/secret text|it's/);
    expect(statSync(folder.at('audit.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('makes a tag and a trace of anything that a client says', () => {
    const { recorder } = openLog(folder.at('tags.jsonl'));
    const about = { client: { name: "*/ drop table t; -- '\n", version: undefined }, traceparent: '00-*/-1-01' };
    const { tag, traceparent } = recorder.begin({ tool: 'query', about, origin: { door: 'stdio' } });
    expect(tag).toMatch(/^thing-mcp client=[A-Za-z0-9._-]+ trace=[0-9a-f]{32}$/);
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it.each<[what: string, spoil: (path: string) => void]>([
    ['a missing folder', (path) => rmSync(path, { recursive: true })],
    ['a folder', (path) => mkdirSync(`${path}/audit.jsonl`)],
    ['a link to a file', (path) => symlinkSync(folder.at('victim'), `${path}/audit.jsonl`)],
    ['a link to nothing', (path) => symlinkSync(`${path}/missing`, `${path}/audit.jsonl`)],
    ['another name of a file', (path) => linkSync(folder.at('victim'), `${path}/audit.jsonl`)],
    ['a pipe that nothing reads', (path) => execFileSync('mkfifo', [`${path}/audit.jsonl`])],
  ])('in place of which there is %s lets nothing change, and readers hear of it once', async (_what, spoil) => {
    const place = folder.at(`place-${Math.random()}`);
    mkdirSync(place);
    writeFileSync(folder.at('victim'), 'mine');
    spoil(place);
    const { recorder, begin, warnings } = openLog(`${place}/audit.jsonl`);
    expect(begin().notice()).toMatch(/^the audit log .* reads go on, and what changes something is refused$/);
    const read = begin();
    expect(read.notice()).toBeUndefined();
    read.end(ok);
    const change = begin();
    expect(() => change.begin(statement)).toThrow(expect.objectContaining({ code: 'E_AUDIT' }));
    expect(() => begin().announce()).toThrow(expect.objectContaining({ code: 'E_AUDIT' }));
    await recorder.close();
    expect(warnings).toHaveLength(1);
    expect(readFileSync(folder.at('victim'), 'utf8')).toBe('mine');
  });

  it('says how many lines are missing once it can be written again', async () => {
    const place = folder.at('away');
    const { recorder, begin, read } = openLog(`${place}/audit.jsonl`);
    for (let i = 0; i < 3; i += 1) begin().end(ok);
    await new Promise((resolve) => setImmediate(resolve));
    mkdirSync(place);
    begin().end(ok);
    await recorder.close();
    expect(read()).toEqual([
      expect.objectContaining({ verdict: 'lost', more: 3 }),
      expect.objectContaining({ verdict: 'ok', tool: 'execute' }),
    ]);
  });

  it('takes back rights that others have on its file', () => {
    const path = folder.at('loose.jsonl');
    writeFileSync(path, '', { mode: 0o666 });
    chmodSync(path, 0o666);
    new AuditFile(path).append('{}');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('puts full files aside, and is read across them from where the reader was', async () => {
    const path = folder.at('small.jsonl');
    const { recorder, begin } = openLog(path, { maxBytes: 2_000, maxOld: 3 });
    const reader = new AuditReader(path);
    const seen: AuditLine[] = [];
    for (let round = 0; round < 40; round += 1) {
      begin().end(ok);
      await new Promise((resolve) => setImmediate(resolve));
      await recorder.close();
      seen.push(...reader.readOn());
    }
    expect(new Set(seen.map(({ call }) => call)).size).toBe(40);
    expect([1, 2, 3, 4].map((age) => existsSync(`${path}.${age}`))).toEqual([true, true, true, false]);
    expect(statSync(`${path}.1`).size).toBeLessThan(3_000);
  });

  it('is read behind a line that a full disk has cut off', () => {
    const path = folder.at('torn.jsonl');
    const line = (call: string) => `{"time":"2026-11-20T08:00:00.000Z","call":"${call}"}`;
    writeFileSync(path, `${line('a')}\n{"time":"2026-11-20T08:00:01.0${line('b')}\n${line('c')}\n{"time":"20`);
    const reader = new AuditReader(path);
    expect(reader.readOn().map(({ call }) => call)).toEqual(['a', 'b', 'c']);
    expect(reader.damaged).toBe(1);
  });
});
