import { parseParamLine } from '@dbmole/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplate, parseTemplate } from './request-template.ts';

function paramsOf(lines: readonly string[]) {
  return lines.map((line) => {
    const param = parseParamLine(line, { hasNativeTypes: false, hasPatterns: true, reserved: [] });
    return typeof param === 'string' ? expect.fail(param) : param;
  });
}

const issuesOf = (lines: readonly string[], body: string) => {
  const parsed = parseTemplate({ body, params: paramsOf(lines) });
  return 'method' in parsed ? [] : parsed.map(({ line, message }) => `${line}: ${message}`);
};

function fill(lines: readonly string[], body: string, values: Record<string, unknown>) {
  const params = paramsOf(lines);
  const parsed = parseTemplate({ body, params });
  return 'method' in parsed ? fillTemplate(parsed, params, new Map(Object.entries(values))) : expect.fail(JSON.stringify(parsed));
}

describe('a request with values', () => {
  it('has each value as JSON, bare or in place of a whole text', () => {
    const body = '\n\nPOST /logs/_search\n{ "a": "{{s}}", "b": {{n}},\n "c": [ {{ l }} ], "d": "{{j}}", "e": 1.10 }';
    const values = { s: 'x"y', n: '12345678901234567890', l: ['a', 'b'], j: { k: 1 } };
    expect(fill(['s text', 'n integer', 'l text[]', 'j json'], body, values)).toEqual({
      method: 'POST',
      path: '/logs/_search',
      body: '{ "a": "x\\"y", "b": 12345678901234567890,  "c": [ ["a","b"] ], "d": {"k":1}, "e": 1.10 }',
    });
    expect(fill(['s text optional'], 'GET /a/_count\n{"a": {{s}}}', { s: null }).body).toBe('{"a": null}');
  });

  it('has values in the path only where they are bounded, and encoded', () => {
    const path = 'GET /logs-{{env}}/_search?q={{ q }}&size=1';
    expect(fill(['env one of prod, stage', 'q text matching /[^"]*/'], path, { env: 'prod', q: 'a&b=c/../' }).path).toBe(
      '/logs-prod/_search?q=a%26b%3Dc%2F..%2F&size=1',
    );
    expect(fill(['env text matching /.*/'], 'GET /logs-{{env}}/_search', { env: '../a?b#c,d' }).path).toBe(
      '/logs-..%2Fa%3Fb%23c,d/_search',
    );
  });

  it('keeps one value on each line', () => {
    const body = 'POST /_msearch\n{"index": "a"}\n{"query": {"term": {"x": "{{v}}"}}}\n';
    expect(fill(['v text'], body, { v: 'a\nb' }).body).toBe('{"index": "a"}\n{"query": {"term": {"x": "a\\nb"}}}\n');
  });

  it('never has a value as anything but one value', () => {
    const body = 'POST /a/_search\n{"query": {"term": {"x": "{{v}}"}}, "size": 1}';
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('"}', '{{v}}', '\\', '","size":9')), (v) => {
        expect(JSON.parse(fill(['v text'], body, { v }).body ?? '')).toEqual({ query: { term: { x: v } }, size: 1 });
      }),
    );
  });

  it.each([
    [[], 'SELECT 1', /^1: expected a request such as "POST \/logs-\*\/_search", got "SELECT 1"/],
    [[], '{"a": 1}', /expected a request/],
    [['a text'], 'GET /{{a}}/_search', /\{\{a\}\} is in the path; declare it with "one of a, b" or "matching/],
    [['a text'], 'POST /x/_search\n{"a": "b {{a}}"}', /^2: "b \{\{a\}\}" has a placeholder inside a text/],
    [['a text'], 'POST /x/_search\n{"{{a}}": 1}', /is in the place of a key/],
    [['a text'], 'POST /x/_search\n{{{a}}: 1}', /the body is not plain JSON|in the place of a key/],
    [[], 'POST /x/_search\n{"a": {{b}}}', /^2: \{\{b\}\} is used and not declared; add a line "# param b TYPE: …"/],
    [['a text'], 'GET /x/_search', /the parameter a is declared and never used/],
    [[], 'POST /x/_search\n\n{"a": 1,}', /^3: the body is not plain JSON/],
    [[], 'POST /x/_search\n{"a": 1, "a": 2}', /the key "a" is repeated/],
    [[], `POST /x/_search\n${'['.repeat(5_000)}`, /nested more than 300 levels deep/],
    [
      [],
      'POST /x/_search\nContent-Type: application/json\n\n{}',
      /^2: "Content-Type:" is a line of an HTTP header, which is not/,
    ],
  ])('of %j is refused as %s', (lines, body, issue) => {
    expect(issuesOf(lines, body).join('\n')).toMatch(issue);
  });
});
