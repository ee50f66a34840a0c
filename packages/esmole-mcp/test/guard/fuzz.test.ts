import { describe, expect, it } from 'vitest';
import { parseTarget } from '../../src/call/cluster-request.ts';
import { guardRequest } from '../../src/guard/guard.ts';
import { formatWire } from '../../src/http/wire.ts';
import { identities } from './cases.ts';
import { fuzzCases } from './fuzz.ts';

/** The effect of each word, written from the documentation of the clusters and not from the table. */
const writes: readonly RegExp[] = [
  /^(?:PUT|PATCH)/,
  /^DELETE (?!\/_search\/(?:scroll|point_in_time)\b|\/_pit\b)/,
  /^POST \/[^/]+$(?<!\/_(?:search|count|msearch|mget|mtermvectors|analyze|field_caps|rank_eval|search_shards|sql|query))/,
  /^POST \/[^/]+\/(?:_doc|_create|_update|_bulk|_refresh|_flush|_forcemerge|_clone|_close|_open|_block|_aliases|_alias|_mapping|_settings|_rollover|_delete_by_query|_update_by_query|_cache)(?:\/|$)/,
  /^POST \/_(?:bulk|reindex|aliases|scripts(?!\/painless\/_execute$)|snapshot|watcher|ilm|slm|ml|transform|license|inference|connector|component_template|template|dangling|create_from|data_stream|tasks|refresh|flush|forcemerge)(?:\/|$)/,
  /^POST \/_index_template\/(?!_simulate)/,
  /^POST \/_security\/(?!user\/_has_privileges$)/,
  /^POST \/_(?:cluster|nodes)\/(?!allocation\/explain$)/,
  /^POST \/_ingest\/(?!(?:pipeline\/)?(?:[^/]+\/)?_simulate$)/,
  /^[A-Z]+ \/(?:[^/]+\/)?_(?:refresh|flush|reload_search_analyzers)(?:\/|$)/,
  /^[A-Z]+ \/_security\/(?:enroll|user\/?$|api_key|oauth2)/,
  /^[A-Z]+ .*\/_secret\//,
];

describe('requests of the words of the table, mixed', () => {
  it.each(Object.entries(identities).filter(([name]) => name !== 'es9' && name !== 'unknown'))(
    'accepts no writes: %s',
    (_name, identity) => {
      const { accepted, tried } = fuzzCases(identity, 6_000);
      expect(tried).toBe(6_000);
      for (const read of accepted) {
        const { method, path } = formatWire(read);
        const target = `${method} ${path.replace(/\?.*/, '')}`;
        expect(
          writes.filter((write) => write.test(target)),
          target,
        ).toEqual([]);
      }
      expect(accepted.length).toBeGreaterThan(100);
    },
  );

  it('sends requests as they were checked', () => {
    const identity = identities.es8;
    for (const read of fuzzCases(identity, 6_000).accepted) {
      const wire = formatWire(read);
      expect(parseTarget({ path: wire.path, params: {} })).toEqual({ segments: read.segments, params: read.params });
      const again = guardRequest(
        { method: wire.method, path: wire.path, params: {}, body: read.body },
        { identity, systemIndices: false },
      );
      expect(formatWire(again)).toEqual(wire);
    }
  });
});
