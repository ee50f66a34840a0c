import { type RunningEngine, type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterIdentity, ReadRequest } from '../../src/call/cluster-request.ts';
import { guardRequest } from '../../src/guard/guard.ts';
import { table } from '../../src/guard/route-table.ts';
import { formatWire } from '../../src/http/wire.ts';
import { type Case, contextOf, readCases, readIdentity, requestOf } from './cases.ts';
import { findChanges, takeFingerprint } from './fingerprint.ts';
import { fuzzCases } from './fuzz.ts';
import { describeHiddenQueries } from './hidden-queries.ts';
import { createRawNode, type RawNode, type Reply } from './raw-node.ts';
import { describeReadingOn } from './reading-on.ts';
import { seedNode } from './seed.ts';

interface NodeSuite {
  readonly id: ServerId;
  /** The name in the cases. */
  readonly short: 'es7' | 'es8' | 'es9' | 'os3';
  readonly security?: true;
  /** It has the modules for stored queries and scripts. */
  readonly storesQueries?: true;
  /** Lines of the table that nothing in this build answers: they are sent anyway. */
  readonly unanswered: readonly string[];
}

/** The node's own modules decide what is a write; what the guard says is held against what they do. */
export function describeGuardOnNode(suite: NodeSuite): void {
  describe(`the guard on ${suite.id}`, () => {
    const engine = useEngine(suite.id, suite.security ? { security: true } : {});
    let node: RawNode;
    beforeAll(async () => {
      node = createRawNode(engine());
      await seedNode(node);
    });
    afterAll(() => node.dispose());

    it('lets nothing through that writes or shows hidden indices, and what it lets through works', async () => {
      const replies = await runReads(node, readableCases(engine(), suite.short));
      const answered = new Set(replies.filter(({ reply }) => reply.status < 300).map(({ given }) => given.line));
      const silent = new Set(replies.map(({ given }) => given.line).filter((line) => !answered.has(line)));
      expect([...silent].sort()).toEqual([...suite.unanswered].sort());
      expectNothingHidden(replies);
    });

    describeReadingOn(() => ({ node, identity: identityFor(engine()) }));

    it('lets nothing through that writes, however the words of the table are mixed', async () => {
      const found = fuzzCases(identityFor(engine()), 5_000).accepted;
      expect(found.length).toBeGreaterThan(90);
      await runReads(
        node,
        found.map((read) => ({ given: { request: formatWire(read).path }, read })),
      );
    });

    describeWrites(() => node, suite.short);

    if (suite.storesQueries) describeHiddenQueries(() => ({ engine: engine(), node }));
  });
}

/** That the fingerprint sees what is refused, or it would prove nothing of what is let through. */
function describeWrites(node: () => RawNode, short: NodeSuite['short']): void {
  it('refuses what writes', async () => {
    const writes = readCases('writes').filter((given) => isFor(given, short));
    expect(writes.length).toBeGreaterThan(25);
    let before = await takeFingerprint(node());
    for (const given of writes) {
      expect(() => guardRequest(requestOf(given), contextOf({ ...given, on: short }))).toThrow();
      const { method, path } = requestOf(given);
      const reply = await node().send(method, path, given.body, path.includes('_bulk') ? 'application/x-ndjson' : undefined);
      const after = await takeFingerprint(node());
      expect(
        findChanges(before, after),
        `${given.request} changed nothing: ${reply.status} ${reply.text.slice(0, 200)}`,
      ).not.toEqual([]);
      before = after;
    }
  });
}

/** Neither documents nor names, where documents are read. */
function expectNothingHidden(replies: readonly (Read & { reply: Reply })[]): void {
  const ofDocuments = new Set(table.filter(({ tells }) => tells === 'documents').map(({ allow }) => allow));
  const reads = replies.filter(({ given }) => ofDocuments.has(given.line ?? '') && given.systemIndices !== true);
  expect(reads.length).toBeGreaterThan(40);
  for (const { given, reply } of reads) expect(reply.text, given.request).not.toContain('.g-secret');
}

interface Read {
  readonly given: Case;
  readonly read: ReadRequest;
}

function identityFor({ id, version }: RunningEngine): ClusterIdentity {
  const identity = readIdentity(id === 'opensearch3' ? 'opensearch' : 'elasticsearch', version);
  // Version 7 says so of itself; the others do not say it in this build.
  return { ...identity, flavour: id === 'elasticsearch7' ? 'oss' : undefined };
}

/** Those that this version has. */
function readableCases(engine: RunningEngine, short: string): readonly Read[] {
  const identity = identityFor(engine);
  const cases = readCases('reads').filter((given) => isFor(given, short));
  return cases.flatMap((given) => {
    const { systemIndices = false, sensitive = false, models = false } = given;
    const context = { identity, systemIndices, sensitive, models };
    try {
      return [{ given, read: guardRequest(requestOf(given), context) }];
    } catch (error) {
      expect(String(error), given.request).toMatch(/ (?:needs|is sent only to) /);
      return [];
    }
  });
}

/** Grouped, because a fingerprint takes longer than a request. */
async function runReads(node: RawNode, reads: readonly Read[]): Promise<readonly (Read & { reply: Reply })[]> {
  const replies: (Read & { reply: Reply })[] = [];
  let before = await takeFingerprint(node);
  for (let at = 0; at < reads.length; at += 40) {
    const group = reads.slice(at, at + 40);
    for (const one of group) replies.push({ ...one, reply: await sendRead(node, one.read) });
    const after = await takeFingerprint(node);
    expect(findChanges(before, after), `one of\n${group.map(({ given }) => given.request).join('\n')}`).toEqual([]);
    before = after;
  }
  return replies;
}

function sendRead(node: RawNode, read: ReadRequest): Promise<Reply> {
  const { method, path, body, contentType } = formatWire(read);
  return node.send(method, path, body, contentType);
}

function isFor({ only, but }: Case, short: string): boolean {
  return (only === undefined || only.includes(short)) && but?.includes(short) !== true;
}
