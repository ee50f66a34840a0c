import { Failure } from '../../core/src/failure.ts';
import { addressVariable, formatAddress, parseAddress } from './address.ts';
import { catalog, type EngineEntry, type EngineKind, type ServerId } from './catalog.ts';
import type { EngineOptions, RunningEngine } from './engine.ts';
import { elasticsearchRecipe } from './elasticsearch.ts';
import { mariadbRecipe } from './mariadb.ts';
import { mysqlRecipe } from './mysql.ts';
import { postgresRecipe } from './postgres.ts';
import type { Recipe } from './recipe.ts';
import { startBinary } from './start-binary.ts';
import { unavailable } from './unavailable.ts';

export const recipes: Partial<Record<EngineKind, Recipe>> = {
  postgres: postgresRecipe,
  elasticsearch: elasticsearchRecipe,
  opensearch: elasticsearchRecipe,
  mariadb: mariadbRecipe,
  mysql: mysqlRecipe,
};

/** Environment, container, binary: the first that serves. */
export async function startEngine(id: ServerId, options: EngineOptions = {}): Promise<RunningEngine> {
  const entry = catalog[id];
  const recipe = recipes[entry.kind];
  if (recipe === undefined) throw new Failure('internal', 'not yet');
  return fromEnvironment(entry, options) ?? startBinary(recipe, entry, options);
}

function fromEnvironment(entry: EngineEntry, options: EngineOptions): RunningEngine | undefined {
  const text = process.env[addressVariable(entry.id)];
  if (!text || Object.keys(options).length > 0) return undefined;
  const address = parseAddress(entry, text);
  return {
    ...address,
    id: entry.id,
    kind: entry.kind,
    version: entry.version,
    source: 'env',
    url: formatAddress(address),
    directory: undefined,
    control: undefined,
    stop: async () => undefined,
  };
}
void unavailable;
