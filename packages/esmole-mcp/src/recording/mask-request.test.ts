import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterRequest } from '../call/cluster-request.ts';
import { maskRequest } from './mask-request.ts';

const request = (line: string, body?: ClusterRequest['body'], params: ClusterRequest['params'] = {}): ClusterRequest => {
  const [method = '', path = ''] = line.split(' ');
  // The tests write no other methods.
  return { method: method as ClusterRequest['method'], path, params, body };
};

describe('a request without its values', () => {
  it.each<[line: string, body: ClusterRequest['body'], masked: string]>([
    ['GET /orders/_search?q=name:x&size=3', undefined, 'GET /orders/_search?q=?&size=?'],
    ['GET /orders,logs-2026*/_doc/7', undefined, 'GET /orders,logs-2026*/_doc/?'],
    [
      'POST /orders/_search',
      { query: { terms: { 'user.name': ['a', 'b'] } } },
      'POST /orders/_search {"query":{"terms":{"user.name":["?"]}}}',
    ],
    ['POST /orders/_search', '{"size": 3, "x y": [{"a": null}]}', 'POST /orders/_search {"size":"?","?":[{"a":"?"}]}'],
    ['POST /_bulk', '{"index":{"_id":"7"}}\n{"a":1}\n', 'POST /_bulk {"index":{"_id":"?"}} {"a":"?"}'],
    [
      'POST /_query',
      { query: 'FROM logs-* | WHERE a == "x" // y\n | LIMIT 5' },
      'POST /_query {"query":"FROM logs-* | WHERE a == ? | LIMIT ?"}',
    ],
    [
      'POST /_sql',
      { query: 'SELECT "a b" FROM "logs" WHERE c = \'x\'' },
      'POST /_sql {"query":"SELECT ? FROM logs WHERE c = ?"}',
    ],
    ['POST /_query', { query: "FROM a | WHERE b == 'x'" }, 'POST /_query {"query":"<unreadable>"}'],
    ['POST /orders/_search', '{broken', 'POST /orders/_search <unreadable>'],
    ['GET /_cat/indices', undefined, 'GET /_cat/indices'],
    ['DELETE /_security/user/jane', undefined, 'DELETE /_security/user/?'],
    ['GET /a/../b', undefined, 'GET <unreadable>'],
  ])('%s %j', (line, body, masked) => {
    expect(maskRequest(request(line, body)).text).toBe(masked);
  });

  it('is short, however long the body is', () => {
    const body = { query: { bool: { should: Array.from({ length: 5_000 }, (_, i) => ({ term: { [`f${i}`]: i } })) } } };
    expect(maskRequest(request('POST /a/_search', body)).text.length).toBeLessThan(1_000);
    const lines = '{"index":{}}\n'.repeat(5_000);
    expect(maskRequest(request('POST /a/_bulk', lines)).text).toMatch(/… 4980 more$/);
  });

  it('has nothing of 1,000 bodies, paths and parameters', () => {
    const canary = fc.constantFrom('Canary7351', 'it\'s "Canary7351"', '7351', 'a\\Canary7351', 'Canary7351\n');
    const leaf = fc.oneof(canary, fc.constant(7351), fc.constant(null));
    const { body } = fc.letrec<{ body: unknown }>((tie) => ({
      body: fc.oneof(
        leaf,
        fc.array(tie('body'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b.c', 'x 7351'), tie('body')),
      ),
    }));
    const query = fc.constantFrom(
      'FROM a | WHERE b == "Canary7351" /* 7351 */ | EVAL c = 7351.5',
      'FROM a | WHERE b LIKE """Canary7351""" // 7351',
      "SELECT `7351 x` FROM a WHERE b = 'Canary7351' -- 7351",
      'source=a | where b = "Canary7351"',
      'FROM a | EVAL `Canary7351` = "Canary7351',
    );
    const path = fc.constantFrom(
      '/a/_search',
      '/a/_doc/Canary7351',
      '/a/_update/7351?routing=7351',
      '/_scripts/Canary7351',
      '/_query',
      '/_sql',
      '/_plugins/_ppl',
      '/Canary7351/_search',
    );
    const bodies = fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'aggs', 'Canary 7351'), body),
      query.map((text) => ({ query: text, params: ['7351'] })),
      body.map((value) => JSON.stringify(value)),
      canary,
    );
    fc.assert(
      fc.property(path, bodies, canary, (where, what, value) => {
        const { text, summary } = maskRequest(request(`POST ${where}`, what as ClusterRequest['body'], { q: value }));
        expect(`${text} ${summary}`).not.toMatch(/7351/);
      }),
      { numRuns: 1_000 },
    );
  });
});
