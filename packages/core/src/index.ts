export { formatAbort, onAbort, settlesWithin, untilAborted, waitFor, withDeadline } from './abort.ts';
export type { CellValue, CutCell } from './answer/csv.ts';
export { formatCsvRecord } from './answer/csv.ts';
export { CutString, LeftOut, RawNumber } from './answer/json-writer.ts';
export { excerptAt, quoteRemote } from './answer/quote-remote.ts';
export { respond, severalFailureRoom, type ToolReply } from './answer/respond.ts';
export { defaultBudget } from './answer/truncate.ts';
export { truncateJsonBudget, truncateJsonInTurns } from './answer/truncate-json.ts';
export { maxCellOffset, type RowWriter, truncateRows } from './answer/truncate-rows.ts';
export type { Approval, Change } from './approval/approvals.ts';
export { confirmations, type PersonPlace } from './approval/person.ts';
export { runProgram } from './cli/command-line.ts';
export { confirm } from './cli/terminal/confirm.ts';
export { processTerminal, type Terminal } from './cli/terminal/terminal.ts';
export {
  absent,
  type BaseConnection,
  baseConnectionShape,
  fileConnectionShape,
  type Networked,
  plainText,
  privateKeyRef,
  secretRef,
} from './connection.ts';
export { decodeUrlPart, findConflict, joinUrl, orIssue, parseUrl, UrlError, type UrlParts } from './connection-url.ts';
export {
  formatMilliseconds,
  formatSeconds,
  formatShare,
  formatStatement,
  joinFacts,
  readCount,
  readNumber,
} from './diagnosis/figures.ts';
export { type CheckReport, type Finding, reportUnavailable, runChecks, type Severity } from './diagnosis/report.ts';
export { formatFindings, formatOverview, formatReport, replyReport } from './diagnosis/report-text.ts';
export {
  askUser,
  Failure,
  type FailureCode,
  type FailureKind,
  type FailureOptions,
  failureWith,
  formatAdvice,
  formatHint,
  type Hint,
  readonlyAdvice,
  readonlyFailure,
  type Step,
  type ToolDoor,
  toFailure,
  withoutConfirmedEnd,
} from './failure.ts';
export { changeFile } from './files/change-file.ts';
export { type ExportFile, type ExportPlace, withExportFile } from './files/export/export-file.ts';
export { type ExportFormat, formatFileSize, parseExportName } from './files/export/export-name.ts';
export { parseJsonText } from './files/json-text.ts';
export { readSmallFile, readStamp } from './files/read-file.ts';
export { isLocalHost } from './local-host.ts';
export type { Log } from './log.ts';
export type { Backend, BackendTarget, Lease } from './manager/backend.ts';
export { findNearestNames, nearestNames } from './nearest.ts';
export { networkFailure } from './network-failure.ts';
export { formatColumnPolicy, listColumnLayers, listColumnRules } from './policy/column-layers.ts';
export { columnShape } from './policy/column-rules.ts';
export { matchesGlob } from './policy/glob.ts';
export { listPolicies } from './policy/layers.ts';
export {
  type ColumnAction,
  type ColumnPolicy,
  type ColumnRules,
  createColumnPolicy,
  findStrictest,
} from './policy/match-columns.ts';
export { createProtectValue, type ProtectValue, pseudonymLength } from './policy/protect-value.ts';
export { readPseudonymKey } from './policy/pseudonym-key.ts';
export {
  allowsNoWhere,
  allowsNoWrite,
  findForbidden,
  isProduction,
  mustAsk,
  readMaxRows,
  refuseWrite,
  viewWritePolicy,
  writeShape,
} from './policy/write-policy.ts';
export { inOwnGroup, killGroup } from './process-group.ts';
export { type App, createApp, type ServerDefinition } from './program/app.ts';
export type { CliQuery, CliQuestion, CliSchema, ToolCommand } from './program/cli-query.ts';
export { type FlagState, type ProgramFlag, type ProgramSetting, parseTime, readFlagState } from './program/settings.ts';
export type { ForeignFile, ImportedQuery, QueryBodies } from './queries/loaded-queries.ts';
export type { SavedQuery } from './queries/query-file.ts';
export type { QueryCall, QueryRunner } from './queries/saved-tools.ts';
export {
  describePassword,
  isOrdinaryWord,
  longestSecret,
  redact,
  redactData,
  redactKnown,
  rememberSecret,
} from './redact/redact.ts';
export { formatIssues } from './registry/edit/issues.ts';
export { createRegistry, type Registry } from './registry/registry.ts';
export { expandText } from './registry/secrets/expand.ts';
export type { SecretSource, SourceRequest } from './registry/secrets/secret-sources.ts';
export { resolveSecret } from './registry/secrets/secrets.ts';
export type { Findings, FoundConnection, Importer, ImportPlace } from './registry/sources/importer.ts';
export { canonical, type Fields, isFields, parseJson } from './registry/tree.ts';
export {
  allowProjectFile,
  createTrust,
  disallowProjectFile,
  isAllowed,
  openProjectFile,
  toProjectFile,
} from './registry/trust/trust.ts';
export { maxAttempts, retry } from './retry.ts';
export { formatVisible } from './text.ts';
export type { CallRecord, EndStatement, StatementEnd, StatementKind, StatementText } from './tools/call-record.ts';
export { accepted, documentedElsewhere, objectElsewhere } from './tools/compact-schema.ts';
export { toolConnectionShape } from './tools/connections/connection-tool-schema.ts';
export type { Audit } from './tools/connections/connection-tools.ts';
export { withManaged } from './tools/connections/managed.ts';
export { RunningCalls } from './tools/running-calls.ts';
export { defineTool, type Tool, type ToolContext } from './tools/tool.ts';
export { parseArguments } from './tools/tool-arguments.ts';
export type { DialledStream } from './tunnel/tunnel.ts';
export { Turns } from './turns.ts';
export { keepYoungGenerationSmall } from './young-generation.ts';
