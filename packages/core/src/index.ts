export { type App, createApp, type Leaf } from './app.ts';
export { processTerminal, runLeaf, type Terminal } from './command-line.ts';
export {
  type BaseConnection,
  baseConnectionShape,
  connectionName,
  type SecretRef,
  type SshRoute,
  secretRef,
  sshRoute,
} from './connection.ts';
export { patchShapeOf, toolConnectionShape } from './connection-tool-schema.ts';
export { type ConnectionDescriptions, type PublicView, registerConnectionTools } from './connection-tools.ts';
export type { CellValue, CutCell } from './csv.ts';
export { Failure, type FailureCode, type FailureKind, type FailureOptions, failureKinds, toFailure } from './failure.ts';
export { isLocalHost } from './local-host.ts';
export { createLog, type Log } from './log.ts';
export { withManaged } from './managed.ts';
export { type Backend, type BackendTarget, createManager, type Lease, type Manager } from './manager.ts';
export { nearestNames } from './nearest.ts';
export { networkFailure } from './network-failure.ts';
export { redact, rememberSecret } from './redact.ts';
export { createRegistry, type Entry, type Registry, type Snapshot } from './registry.ts';
export { respond } from './respond.ts';
export { serve } from './serve.ts';
export { defineTool, type Effect, effects, type Tool, type ToolContext, type ToolReply } from './tool.ts';
export { createToolServer, type ToolServer } from './tool-server.ts';
export { clampLimit } from './truncate.ts';
export { truncateJsonBudget } from './truncate-json.ts';
export { truncateRows } from './truncate-rows.ts';
export type { Tunnel, TunnelStatus } from './tunnel/tunnel.ts';
