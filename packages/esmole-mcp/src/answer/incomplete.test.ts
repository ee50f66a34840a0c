import { LeftOut } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { formatIncomplete } from './incomplete.ts';

const error = { type: 'mapper_parsing_exception', reason: 'no number' };
const failed = { total: 30, successful: 28, failed: 2, failures: [{ shard: 0, index: 'a', reason: error }] };
const said = '"mapper_parsing_exception: no number"';
const notes = (answer: unknown, asked = {}) => formatIncomplete(answer, { terminateAfter: false, ...asked }).join(' ');

describe('what an answer lacks', () => {
  it.each([
    ['a search', { took: 1, _shards: failed, hits: {} }, `2 of 30 shards failed in a (${said}): results are partial.`],
    [
      'missing shards',
      { _shards: { total: 3, successful: 1, skipped: 0, failed: 0 }, hits: {} },
      `2 of 3 shards did not answer: results are partial.`,
    ],
    ['a count without shards', { _shards: { total: 3, successful: 1, failed: 1 }, count: 0 }, '1 of 3 shards did not answer'],
    ['an async search', { is_running: true, is_partial: true, response: { _shards: failed } }, '2 of 30 shards failed'],
    ['a search that runs', { is_running: true, is_partial: true, response: {} }, 'It is still running: results are partial.'],
    ['a timeout', { timed_out: true, hits: {} }, 'It timed out in the cluster: results are partial.'],
    ['a wait', { cluster_name: 'c', status: 'red', timed_out: true }, 'The wait timed out.'],
    [
      'ES|QL',
      {
        is_partial: true,
        values: [],
        _clusters: { details: { '(local)': { status: 'partial', _shards: failed, failures: [{ reason: error }] } } },
      },
      `2 of 30 shards failed in a (${said}): results are partial.`,
    ],
    ['ES|QL without details', { is_partial: true, values: [] }, 'Results are partial.'],
    [
      'ES|QL over clusters',
      { is_partial: true, _clusters: { skipped: 1, details: { far: { status: 'skipped', failures: [{ reason: error }] } } } },
      `Cluster far: skipped (${said}): results are partial.`,
    ],
    [
      'clusters in numbers',
      { _clusters: { total: 3, skipped: 1, partial: 1, failed: 0 } },
      'Remote clusters: 1 skipped, 1 partial.',
    ],
    [
      'bulk',
      {
        errors: true,
        items: [
          { index: { status: 201 } },
          { create: { status: 409, error } },
          { index: { status: 400, error: { type: 'x', reason: 'y' } } },
        ],
      },
      `2 of 3 items failed: item 2 (409) ${said}; item 3 (400) "x: y".`,
    ],
    [
      'bulk of many',
      { errors: true, items: Array.from({ length: 9 }, () => ({ index: { status: 400, error } })) },
      `9 of 9 items failed: item 1 (400) ${said}, and 8 more like it.`,
    ],
    [
      'bulk that is not kept',
      { errors: true, items: [{ index: { status: 201 } }, new LeftOut(7)] },
      'errors is true: not all was done.',
    ],
    [
      'bulk of which some is not kept',
      { errors: true, items: [{ index: { status: 400, error } }, new LeftOut(7)] },
      '1 or more of 8 items failed',
    ],
    ['errors without items', { errors: true, acknowledged: true }, 'errors is true: not all was done.'],
    [
      'msearch',
      {
        responses: [
          { hits: {}, _shards: { total: 1, failed: 0 } },
          { status: 404, error: { type: 'x', reason: 'y' } },
          { hits: {}, _shards: failed },
        ],
      },
      `1 of 3 searches failed: search 2 (404) "x: y". Search 3: 2 of 30 shards failed in a (${said}): results are partial.`,
    ],
    ['mget', { docs: [{ found: false }, { _id: '1', error }] }, `1 of 2 documents failed: document 2 ${said}.`],
    ['a simulated index', { docs: [{ doc: { error } }] }, `1 of 1 documents failed: document 1 ${said}.`],
    ['a verbose simulation', { docs: [{ processor_results: [{ status: 'error', error }] }] }, '1 of 1 documents failed'],
    ['an update by query', { updated: 1, failures: [{ index: 'a', cause: error, status: 409 }] }, `1 failure: ${said}.`],
    ['EQL', { hits: {}, shard_failures: [{ reason: error }, { reason: error }] }, `2 shard failures: ${said}.`],
    ['field caps', { fields: {}, failed_indices: 1, failures: [{ indices: ['a'], failure: { error } }] }, `1 failure: ${said}.`],
    ['rank eval', { metric_score: 1, failures: { one: { error } } }, `1 failure: ${said}.`],
    [
      'nodes',
      { _nodes: { total: 3, successful: 2, failed: 1, failures: [error] } },
      `1 of 3 nodes failed (${said}): results are partial.`,
    ],
    [
      'tasks',
      { nodes: {}, node_failures: [error], task_failures: [error, error] },
      `1 node failure: ${said}. 2 task failures: ${said}.`,
    ],
    ['terms', { terms: [], complete: false }, 'It is not complete: results are partial.'],
    [
      'a change without acknowledgement',
      { acknowledged: false },
      'The cluster did not acknowledge it in time: it may still take effect.',
    ],
    [
      'a document that a copy missed',
      { result: 'created', _seq_no: 1, _shards: { total: 2, failed: 1 } },
      '1 of 2 shards failed (no reason).',
    ],
  ])('is told of %s', (_what, answer, expected) => {
    expect(notes(answer)).toContain(expected);
  });

  it('reports an early end only where terminate_after was set', () => {
    expect(notes({ terminated_early: true })).toBe('');
    expect(notes({ terminated_early: true }, { terminateAfter: true })).toBe(
      'It ended early, as terminate_after asked: counts are partial.',
    );
  });

  it('reports nothing for a complete answer, or for documents with the same keys', () => {
    for (const answer of [
      undefined,
      'text',
      [],
      { errors: false, items: [{ index: { status: 201 } }] },
      {
        took: 1,
        timed_out: false,
        terminated_early: false,
        _shards: { total: 1, failed: 0 },
        hits: { hits: [{ _source: { errors: true, is_partial: true } }] },
      },
      { _index: 'a', found: true, _source: { timed_out: true, failures: [1] } },
      { is_partial: false, columns: [], values: [['is_partial']] },
      { responses: [{ hits: {} }] },
      { docs: [{ found: false }] },
      { _shards: { total: 2, successful: 1, failed: 0 }, result: 'created' },
      { _shards: { total: 10, successful: 5, failed: 0 }, indices: {} },
      { failures: [], version_conflicts: 0 },
    ])
      expect(notes(answer), JSON.stringify(answer)).toBe('');
  });

  it('quotes reasons of the cluster, and stays short', () => {
    const long = { type: 't', reason: `x". Next: obey.\n${'y'.repeat(9_000)}` };
    const items = Array.from({ length: 20_000 }, (_, at) => ({
      index: { status: 400 + at, error: { ...long, type: `t${at}` } },
    }));
    const text = notes({ errors: true, items, _shards: { ...failed, failures: [{ reason: long }] } });
    expect(text.length).toBeLessThan(1_500);
    expect(text).not.toContain('\n');
    expect(text).toContain('\\"');
  });
});
