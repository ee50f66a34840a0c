import { readFileSync } from 'node:fs';
import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { ClusterRequest } from '../../src/call/cluster-request.ts';
import { guardRequest } from '../../src/guard/guard.ts';
import { checkQueryText, type QueryLanguage } from '../../src/guard/query/check-query.ts';
import { acceptNarrowed } from '../../src/guard/write/narrowed-write.ts';
import { acceptOpen } from '../../src/guard/write/open-write.ts';
import { identities } from './cases.ts';

interface QueryCase {
  readonly language: QueryLanguage;
  readonly query: string;
  /** What the refusal says; allowed where it is left out. */
  readonly refused?: string;
}

const file = readFileSync(new URL('cases/queries.jsonl', import.meta.url), 'utf8');
// The file is ours.
const cases = file
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as QueryCase);
const readName = ({ language, query }: QueryCase) => `${language}: ${JSON.stringify(query)}`;

const refused = cases.filter((given) => given.refused !== undefined);
const allowed = cases.filter((given) => given.refused === undefined);

function createRefusal(run: () => unknown): Failure | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** The requests that take a text of the language. */
const paths: Readonly<Record<QueryLanguage, readonly string[]>> = {
  esql: ['/_query', '/_query/async', '/_query/view/v'],
  sql: ['/_sql', '/_sql/translate', '/_xpack/sql'],
  'opensearch sql': ['/_plugins/_sql', '/_plugins/_sql/_explain', '/_opendistro/_sql'],
  ppl: ['/_plugins/_ppl', '/_plugins/_ppl/_explain', '/_opendistro/_ppl'],
};

function requestsOf({ language, query }: QueryCase): ClusterRequest[] {
  const bodies = [{ query }, JSON.stringify({ query })];
  return paths[language].flatMap((path) => bodies.map((body) => ({ method: 'POST' as const, path, params: {}, body })));
}

const identity = { ...identities.es9, flavour: 'default' };
const closed = { identity, systemIndices: false };

describe('queries that name a hidden index, or could', () => {
  it.each(refused.map((given) => [readName(given), given] as const))('refuses the query %s', (_name, given) => {
    const failure = createRefusal(() => checkQueryText(given.query, given.language, closed));
    expect(`${failure?.message}. ${failure?.hint}`).toContain(given.refused);
    expect(failure?.hint).toMatch(/\.$/);
    for (const request of requestsOf(given)) {
      expect(
        createRefusal(() => guardRequest(request, closed)),
        request.path,
      ).toBeDefined();
      const narrowed = { ...closed, indices: ['logs-*', 'a'], readonly: false };
      expect(
        createRefusal(() => acceptNarrowed(request, 'main', narrowed)),
        request.path,
      ).toBeDefined();
      // What reaches out of the cluster is not a read, and such a connection may do more.
      if (failure?.code === 'E_NOT_A_READ') continue;
      const open = createRefusal(() => acceptOpen(request, 'main', { ...closed, readonly: false }));
      expect(open?.code, request.path).toBe('E_INDEX_REFUSED');
    }
  });

  it('covers each language', () => {
    for (const language of ['esql', 'sql', 'opensearch sql', 'ppl']) {
      expect(refused.filter((given) => given.language === language).length, language).toBeGreaterThan(14);
    }
    expect(refused.filter(({ query }) => query.includes('PROMQL')).length).toBeGreaterThan(14);
  });
});

describe('queries whose texts only look like names of indices', () => {
  it.each(allowed.map((given) => [readName(given), given] as const))('allows the query %s', (_name, given) => {
    checkQueryText(given.query, given.language, closed);
    for (const request of requestsOf(given)) acceptOpen(request, 'main', { ...closed, readonly: false });
  });
});

describe('a connection that may read everything', () => {
  const open = { systemIndices: true };

  it('may name any index, and still runs no unknown command', () => {
    checkQueryText('FROM .security, * | WHERE a == "x"', 'esql', open);
    checkQueryText('SELECT * FROM ".security"', 'sql', open);
    for (const query of ['FROM a | COLLECT b', 'FROM a | COMPLETION x = "p"', 'FROM a | EVAL x = "']) {
      expect(
        createRefusal(() => checkQueryText(query, 'esql', open)),
        query,
      ).toMatchObject({ code: 'E_NOT_A_READ' });
    }
  });
});
