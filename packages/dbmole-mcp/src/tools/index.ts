import type { App, Tool } from '@dbmole/core';
import type { SqlBackend } from '../backend/backend.ts';
import type { Connection } from '../connection/schema.ts';
import { createSqlTools, type SqlTools } from '../tool.ts';
import { describeTableTool } from './describe-table.ts';
import { diagnoseTool } from './diagnose.ts';
import { executeTool } from './execute.ts';
import { explainTool } from './explain.ts';
import { exportQueryTool } from './export-query.ts';
import { listDatabasesTool } from './list-databases.ts';
import { listTablesTool } from './list-tables.ts';
import { queryTool } from './query.ts';
import { searchSchemaTool } from './search-schema.ts';

/** Every tool of this server but those over the connections themselves, in the order they are listed. */
const makers: readonly ((tools: SqlTools) => Tool)[] = [
  queryTool,
  listDatabasesTool,
  listTablesTool,
  describeTableTool,
  searchSchemaTool,
  explainTool,
  diagnoseTool,
  executeTool,
  exportQueryTool,
];

export function registerTools(app: App<Connection, SqlBackend>): void {
  const tools = createSqlTools(app);
  for (const make of makers) app.toolServer.register(make(tools));
}
