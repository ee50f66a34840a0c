import type { EngineKind } from '../catalog.ts';
import { elasticsearchRecipe } from './elasticsearch.ts';
import { mariadbRecipe } from './mariadb.ts';
import { mysqlRecipe } from './mysql.ts';
import { postgresRecipe } from './postgres.ts';
import type { Recipe } from './recipe.ts';

export const recipes: Readonly<Record<EngineKind, Recipe>> = {
  postgres: postgresRecipe,
  mariadb: mariadbRecipe,
  mysql: mysqlRecipe,
  elasticsearch: elasticsearchRecipe,
  opensearch: elasticsearchRecipe,
};
