import { CutString, RawNumber } from '@dbmole/core';
import { expect, it } from 'vitest';
import { formatProfile } from './profile.ts';
import { formatSuggestions } from './suggestions.ts';

const ms = (milliseconds: number, more: object = {}) => ({ time_in_nanos: milliseconds * 1e6, ...more });

it('says where the time of a search went, over all shards', async () => {
  const shard = (name: string, factor: number) => ({
    id: `[n1][${name}][0]`,
    searches: [
      {
        query: [
          ms(10 * factor, {
            type: 'BooleanQuery',
            description: '+a:x +b:y',
            children: [ms(6 * factor, { type: 'TermQuery', description: 'a:x' })],
          }),
        ],
        rewrite_time: 1e6 * factor,
        collector: [
          ms(4 * factor, {
            name: 'Multi',
            reason: 'search_multi',
            children: [ms(3 * factor, { name: 'A', reason: 'aggregation' })],
          }),
        ],
      },
    ],
    aggregations: [ms(3 * factor, { type: 'Terms', description: 'by_host' })],
    fetch: ms(5 * factor, { type: 'fetch', description: '' }),
  });
  expect((await formatProfile({ shards: [shard('web-1', 1), shard('web-2', 3)] })).split('\n')).toEqual([
    'profile: 2 shards, 80 ms: query 50 %, collect 20 %, rewrite 5 %, aggregation 15 % (within collect), fetch 25 %. ' +
      'Slowest shard: web-2[0], 60 ms. Slowest 6 of 6 parts, without their inner parts:',
    'part,type,description,shards,ms,slowest shard ms',
    'query,TermQuery,a:x,2,24,18',
    'fetch,fetch,"",2,20,15',
    'query,BooleanQuery,+a:x +b:y,2,16,12',
    'aggregation,Terms,by_host,2,12,9',
    'rewrite,rewrite,"",2,4,3',
    'collect,Multi,search_multi,2,4,3',
  ]);
});

it('shows suggestions of every kind, and how many have no room', () => {
  const near = [
    { text: 'jsn', options: [{ text: 'json', score: new RawNumber('0.75'), freq: 4 }] },
    { text: 'libx', options: [] },
  ];
  const phrase = [{ text: 'jsn', options: [{ text: 'json', score: 1, highlighted: '<em>json</em>' }] }];
  const done = [{ text: 'j', options: [{ text: 'json', _id: '7', _score: 2, _source: { a: 1 } }] }];
  expect(formatSuggestions({ near, 'phrase#p': phrase, done }).split('\n')).toEqual([
    'suggestions:',
    'suggest,text,option,score,freq,highlighted,_id,_source',
    'near,jsn,json,0.75,4,NULL,NULL,NULL',
    'near,libx,NULL,NULL,NULL,NULL,NULL,NULL',
    'p,jsn,json,1,NULL,<em>json</em>,NULL,NULL',
    'done,j,json,2,NULL,NULL,7,"{""a"":1}"',
  ]);
  const many = [{ text: 'x', options: Array.from({ length: 5_000 }, (_, at) => ({ text: `option ${at}`, score: at })) }];
  const cut = formatSuggestions({ many });
  expect(cut).toMatch(/^suggestions \(\d+ of 5000\):\n/);
  expect(cut.length).toBeLessThan(6_500);
});

it('accepts what is in no such form', async () => {
  const odd = [
    undefined,
    null,
    3,
    [],
    { a: 1 },
    { a: [null, { options: [[], { text: new CutString('x', 9) }] }] },
    { shards: [{}] },
  ];
  for (const value of odd)
    expect([await formatProfile(value), formatSuggestions(value)]).toEqual([expect.any(String), expect.any(String)]);
  expect(await formatProfile({ shards: [{ id: 3, searches: [{ query: [[], { children: [3] }] }], fetch: [] }] })).toContain(
    'profile: 1 shard, 0 ms',
  );
});
