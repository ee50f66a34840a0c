import type { Finding } from '@dbmole/core';
import { formatNames, formatTarget } from '../../../indices/name-pattern.ts';
import { type IndexFacts, type IndexSettings, readFigure } from '../../read-facts.ts';

const maxNames = 5;
/** Pages of hits end there unless an index says otherwise; ten times as many are still affordable. */
const maxWindow = 100_000;

/** What endangers the documents of an index. */
export function judgeSettings(facts: readonly IndexFacts[], settings: IndexSettings, nodes: number): Finding[] {
  const single = facts.filter(
    ({ name, replicas, isClosed }) => replicas === 0 && !isClosed && settings.get(name)?.['index.store.type'] !== 'snapshot',
  );
  const loose = facts.filter(({ name }) => String(settings.get(name)?.['index.translog.durability']).toLowerCase() === 'async');
  const stale = facts.filter(
    ({ name, isClosed }) => !isClosed && String(settings.get(name)?.['index.refresh_interval']).startsWith('-1'),
  );
  const deep = facts.filter(({ name }) => readFigure(settings.get(name)?.['index.max_result_window']) > maxWindow);
  return [
    ...describe(stale, (names, target) => ({
      severity: 'medium',
      weight: stale.length,
      evidence: `${formatCount(stale)} index.refresh_interval -1: ${names}`,
      consequence: 'Searches do not find what was written since the last refresh.',
      next: `Unless a bulk load is running: PUT /${target}/_settings {"index.refresh_interval":null}`,
    })),
    // On one node, a replica could not be put anywhere.
    ...(nodes < 2
      ? []
      : describe(single, (names, target) => ({
          severity: 'medium',
          weight: single.length,
          evidence: `${formatCount(single)} no replica: ${names}`,
          consequence: 'When the node of a shard fails, its documents cannot be read, or are gone.',
          next: `PUT /${target}/_settings {"index":{"number_of_replicas":1}}`,
        }))),
    ...describe(deep, (names, target) => ({
      severity: 'low',
      weight: deep.length,
      evidence: `${formatCount(deep)} index.max_result_window above ${maxWindow}: ${names}`,
      consequence: 'A search for a far page sorts all hits before it on each shard, in the heap.',
      next: `Read on with search_after instead: PUT /${target}/_settings {"index.max_result_window":null}`,
    })),
    ...describe(loose, (names, target) => ({
      severity: 'low',
      weight: loose.length,
      evidence: `${formatCount(loose)} index.translog.durability async: ${names}`,
      consequence: 'A crash loses up to 5 s of writes that were acknowledged.',
      next: `If that is not intended: PUT /${target}/_settings {"index.translog.durability":"request"}`,
    })),
  ];
}

function formatCount(facts: readonly IndexFacts[]): string {
  return facts.length === 1 ? '1 index has' : `${facts.length} indices have`;
}

function describe(facts: readonly IndexFacts[], say: (names: string, target: string) => Finding): Finding[] {
  const names = facts.map(({ name }) => name);
  return names.length === 0 ? [] : [say(formatNames(names, maxNames), formatTarget(names))];
}
