import type { App } from '@dbmole/core';
import type { ClusterBackend } from '../backend.ts';
import type { Connection } from '../connection/schema.ts';
import { createClusterTools } from '../tool.ts';
import { clusterHealthTool } from './cluster-health.ts';
import { diagnoseTool } from './diagnose.ts';
import { exportTool } from './export.ts';
import { getTool } from './get.ts';
import { getMappingTool } from './get-mapping.ts';
import { listIndicesTool } from './list-indices.ts';
import { logsTool } from './logs.ts';
import { queryTool } from './query.ts';
import { requestTool } from './request.ts';
import { searchTool } from './search.ts';

/** Every tool of this server but those over the connections themselves, in the order they are listed. */
export function registerTools(app: App<Connection, ClusterBackend>): void {
  const tools = createClusterTools(app);
  app.toolServer.register(listIndicesTool(tools));
  app.toolServer.register(getMappingTool(tools));
  app.toolServer.register(searchTool(tools));
  app.toolServer.register(logsTool(tools));
  app.toolServer.register(queryTool(tools));
  app.toolServer.register(getTool(tools));
  app.toolServer.register(requestTool(tools));
  app.toolServer.register(exportTool(tools));
  app.toolServer.register(clusterHealthTool(tools));
  app.toolServer.register(diagnoseTool(tools));
}
