export type { CellValue, CutCell } from './answer/csv.ts';
export { formatCsvRecord } from './answer/csv-record.ts';
export { CutString, LeftOut, RawNumber } from './answer/json-writer.ts';
export { quoteRemote } from './answer/quote-remote.ts';
export { respond, type ToolReply } from './answer/respond.ts';
export { clampLimit } from './answer/truncate.ts';
export { truncateJsonBudget } from './answer/truncate-json.ts';
export { type RowWriter, truncateRows } from './answer/truncate-rows.ts';
export { runLeaf } from './cli/command-line.ts';
export { processTerminal, type Terminal } from './cli/terminal.ts';
export { type BaseConnection, baseConnectionShape, connectionName, plainText, privateKeyRef, secretRef } from './connection.ts';
export { decodeUrlPart, findConflict, joinUrl, orIssue, parseUrl, UrlError, type UrlParts } from './connection-url.ts';
export {
  Failure,
  type FailureCode,
  type FailureKind,
  type FailureOptions,
  failureWith,
  forPerson,
  toFailure,
  withoutConfirmedEnd,
} from './failure.ts';
export { changeFile } from './files/change-file.ts';
export { readSmallFile } from './files/read-file.ts';
export { isLocalHost } from './local-host.ts';
export { createLog, type Log } from './log.ts';
export type { Backend, BackendTarget, Lease } from './manager/backend.ts';
export { createManager, type Manager } from './manager/manager.ts';
export { nearestNames } from './nearest.ts';
export { networkFailure } from './network-failure.ts';
export { type App, createApp, type Leaf } from './program/app.ts';
export type { PersonQuery, PersonQuestion } from './program/person-query.ts';
export { serve } from './program/serve.ts';
export { type LeafFlag, type LeafSetting, readFlag } from './program/settings.ts';
export { longestSecret, redact, rememberSecret } from './redact.ts';
export type { Findings, FoundConnection, Importer, ImportPlace } from './registry/importer.ts';
export { createRegistry, type Entry, type Registry, type Snapshot } from './registry/registry.ts';
export type { SecretSource, SecretSources, SourceRequest } from './registry/secret-sources.ts';
export { toolConnectionShape } from './tools/connection-tool-schema.ts';
export { type ConnectionDescriptions, type PublicView, registerConnectionTools } from './tools/connection-tools.ts';
export { withManaged } from './tools/managed.ts';
export { readonlyFailure } from './tools/readonly-failure.ts';
export { defineTool, type Tool, type ToolContext } from './tools/tool.ts';
export { createToolServer, type ToolServer } from './tools/tool-server.ts';
export type { DialledStream, Tunnel, TunnelStatus } from './tunnel/tunnel.ts';
export { formatAbort, untilAborted } from './waiting.ts';
