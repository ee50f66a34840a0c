import { Failure } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import type { ClusterIdentity } from '../call/cluster-request.ts';
import { chooseLanguage, isQueryText } from './language.ts';

const cluster = (product: ClusterIdentity['product'], version: string, flavour = 'default'): ClusterIdentity => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return { product, version, major, minor, flavour, clusterName: undefined };
};

const choose = (identity: ClusterIdentity, query: string): string => {
  try {
    return chooseLanguage(identity, { query }).title;
  } catch (error) {
    return error instanceof Failure ? `${error.message} ${error.hint}` : String(error);
  }
};

describe('the language of a query', () => {
  const elasticsearch8 = cluster('elasticsearch', '8.19.0');
  const elasticsearch7 = cluster('elasticsearch', '7.17.0');
  const opensearch = cluster('opensearch', '3.6.0');

  it.each([
    [elasticsearch8, 'FROM a', /^ES\|QL$/],
    [elasticsearch8, 'SHOW INFO', /^ES\|QL$/],
    [elasticsearch8, '\n(SELECT 1)', /^SQL$/],
    [elasticsearch8, 'source=a | head 5', /^PPL needs OpenSearch; this is Elasticsearch 8\.19\.0\b.*Write ES\|QL, as in FROM/s],
    [elasticsearch7, 'SHOW TABLES', /^SQL$/],
    [
      elasticsearch7,
      'FROM a',
      /^ES\|QL needs Elasticsearch 8\.11 or later; this is Elasticsearch 7\.17\.0\b.*Write SQL, as in SELECT/s,
    ],
    [cluster('elasticsearch', '7.17.0', 'oss'), 'SELECT 1', /^Elasticsearch 7\.17\.0 \(oss build\) has no query language/],
    [opensearch, 'search source=a', /^PPL$/],
    [opensearch, 'SELECT 1', /^SQL$/],
    [opensearch, 'from a | keep b', /^ES\|QL needs Elasticsearch .*; this is OpenSearch 3\.6\.0\b.*Write PPL, as in source=/s],
  ])('of %o is known for %s', (identity, query, expected) => {
    expect(choose(identity, query)).toMatch(expected);
  });
});

describe('a text for an export or the command line', () => {
  it.each(['FROM a', ' // why\nfrom a', 'source = a', '(select 1)', 'SHOW INFO', 'row a = 1', '/* x */ FROM a'])(
    'is a query: %s',
    (text) => {
      expect(isQueryText(text)).toBe(true);
    },
  );

  it.each(['status:500', 'from:ann', 'source : x', '/a.*b/', 'fromage', 'GET /a', '{"match_all":{}}', ''])(
    'is no query: %s',
    (text) => {
      expect(isQueryText(text)).toBe(false);
    },
  );
});
