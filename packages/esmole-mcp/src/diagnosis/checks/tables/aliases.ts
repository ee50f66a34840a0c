import type { Finding } from '@dbmole/core';
import { groupBy } from '../../../answer/group-by.ts';
import { valueAt } from '../../../call/answer-failure.ts';
import { buildPath } from '../../../call/path.ts';
import { formatNames, isSeries, sortByName } from '../../../indices/name-pattern.ts';
import type { CheckRun } from '../../check-run.ts';
import { type IndexSettings, listEntries } from '../../read-facts.ts';

interface Member {
  index: string;
  alias: string;
  /** Whether it takes what is written to the alias; undefined where that was never said. */
  takesWrites: unknown;
}

const maxNames = 5;
/** Elasticsearch and OpenSearch name the alias that a policy rolls over. */
const rolloverSettings = [
  'index.lifecycle.rollover_alias',
  'index.plugins.index_state_management.rollover_alias',
  'index.opendistro.index_state_management.rollover_alias',
];

/** Aliases of several indices to which nothing can be written. Those that only join indices for searches are meant that way. */
export async function checkAliases(run: CheckRun, settings: IndexSettings): Promise<Finding[]> {
  const json = await run.readIfAllowed('Aliases', { path: buildPath(run.index, '_alias') });
  const members = listEntries(json)
    .filter(([index]) => run.mayName(index))
    .flatMap(([index, one]) =>
      listEntries(valueAt(one, ['aliases'])).map(([alias, value]) => ({
        index,
        alias,
        takesWrites: valueAt(value, ['is_write_index']),
      })),
    );
  return [...groupBy(members, ({ alias }) => alias)].flatMap(([alias, all]) => judge(alias, all, settings));
}

function judge(alias: string, members: readonly Member[], settings: IndexSettings): Finding[] {
  if (members.some(({ takesWrites }) => takesWrites === true)) return [];
  const wasSaid = members.some(({ takesWrites }) => takesWrites === false);
  if (members.length === 1 && !wasSaid) return [];
  const names = sortByName(members, ({ index }) => index).map(({ index }) => index);
  const isRolledOver = names.some((index) => rolloverSettings.some((name) => settings.get(index)?.[name] === alias));
  if (!isRolledOver && !wasSaid && !isSeries(names)) return [];
  const change = { actions: [{ add: { index: names.at(-1), alias, is_write_index: true } }] };
  return [
    {
      severity: isRolledOver ? 'high' : wasSaid ? 'medium' : 'low',
      weight: names.length,
      evidence: `the alias ${alias} has no write index among its ${names.length === 1 ? 'index' : `${names.length} indices`}: ${formatNames(names, maxNames)}`,
      consequence: isRolledOver ? 'Writes to it fail, and its policy cannot roll it over.' : 'Writes to it fail; searches work.',
      next: `${isRolledOver ? '' : 'Unless it is only for searches: '}POST /_aliases ${JSON.stringify(change)}`,
    },
  ];
}
