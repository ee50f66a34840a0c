export type { CellValue, CutCell } from './answer/csv.ts';
export { respond } from './answer/respond.ts';
export { clampLimit } from './answer/truncate.ts';
export { truncateJsonBudget } from './answer/truncate-json.ts';
export { truncateRows } from './answer/truncate-rows.ts';
export {
  type BaseConnection,
  baseConnectionShape,
  connectionName,
  privateKeyRef,
  type SecretRef,
  type SshRoute,
  secretRef,
  sshRoute,
} from './connection.ts';
export { Failure, type FailureCode, type FailureKind, type FailureOptions, failureKinds, toFailure } from './failure.ts';
export { isLocalHost } from './local-host.ts';
export { createLog, type Log } from './log.ts';
export { type Backend, type BackendTarget, createManager, type Lease, type Manager } from './manager/manager.ts';
export { nearestNames } from './nearest.ts';
export { networkFailure } from './network-failure.ts';
export { type App, createApp, type Leaf } from './program/app.ts';
export { processTerminal, runLeaf, type Terminal } from './program/command-line.ts';
export { serve } from './program/serve.ts';
export { redact, rememberSecret } from './redact.ts';
export { createRegistry, type Entry, type Registry, type Snapshot } from './registry/registry.ts';
export { patchShapeOf, toolConnectionShape } from './tools/connection-tool-schema.ts';
export { type ConnectionDescriptions, type PublicView, registerConnectionTools } from './tools/connection-tools.ts';
export { withManaged } from './tools/managed.ts';
export { defineTool, type Effect, effects, type Tool, type ToolContext, type ToolReply } from './tools/tool.ts';
export { createToolServer, type ToolServer } from './tools/tool-server.ts';
export type { Tunnel, TunnelStatus } from './tunnel/tunnel.ts';
