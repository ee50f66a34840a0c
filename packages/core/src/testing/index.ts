export { parseParamLine } from '../queries/param-line.ts';
export { type CallOptions, connectTestClient, type TestClient, type TestReply } from './client.ts';
export { failureOf, readHint } from './failure-of.ts';
export {
  createFakeEngine,
  type FakeBackend,
  type FakeBehaviour,
  type FakeEngine,
  FakeEngineError,
  isFakeStaleError,
} from './fakes/fake-engine.ts';
export { createFakeProgram, type FakeProgram } from './fakes/fake-program.ts';
export { createFakeRegistry, type FakeRegistry } from './fakes/fake-registry.ts';
export { createFakeTerminal, type FakeTerminal, type FakeTerminalOptions } from './fakes/fake-terminal.ts';
export { createFakeTunnel, type FakeTunnel, type FakeTunnelOptions } from './fakes/fake-tunnel.ts';
export { createLazyStream } from './fakes/lazy-stream.ts';
export { describeHttpAccess, type ServedProgram } from './http/access-suite.ts';
export {
  type AnswerQuestion,
  type AskingClient,
  type AskingClientKind,
  askingClientKinds,
  openAskingClient,
  openProgramForMany,
  type PersonAnswer,
  type ProgramForMany,
} from './http/asking-client.ts';
export { describeCancellation } from './http/cancel-suite.ts';
export { type HttpClient, type HttpClientKind, httpClientKinds, openHttpClient } from './http/http-clients.ts';
export { HttpProcess } from './http/http-process.ts';
export { openOtlpCollector } from './http/otlp-collector.ts';
export { callMessage, modernCall, sendAsking } from './http/raw-http.ts';
export { describeServe } from './http/serve-suite.ts';
export { findUnusedPort, listenOnLoopback, openSilentServer } from './loopback.ts';
export { type OpenProgram, openProgram } from './open-program.ts';
export { listChildren, listDescendants } from './process-tree.ts';
export { type Exit, type Message, readText, ServerProcess, type ServerProcessOptions } from './server-process.ts';
export { type BackendContract, describeBackendContract } from './suites/backend-contract.ts';
export { describeBlocking, type HeavyCall } from './suites/blocking-suite.ts';
export type { Able, BackendHarness } from './suites/contract-rig.ts';
export { type DoorsContract, describeDoors } from './suites/doors-suite.ts';
export { describeEras } from './suites/eras-suite.ts';
export { describeFirstTime, type FirstTime } from './suites/first-time-suite.ts';
export { describeHints, type FailingCall } from './suites/hints-suite.ts';
export { type BuiltLibrary, describeLibrary } from './suites/library-suite.ts';
export { type BuiltServer, describeServerLife } from './suites/life-suite.ts';
export { describePersonFields, type PersonFields } from './suites/person-fields-suite.ts';
export { describeTarball, type PackedLeaf } from './suites/tarball-suite.ts';
export { type DefinedTools, describeToolDefinitions } from './suites/tool-definitions-suite.ts';
export { describeTunnelled, type TunnelledServer } from './suites/tunnel-suite.ts';
export { createTempFolder, type Folder, type TempFolder } from './temp-folder.ts';
export { useTempFolder } from './use-temp-folder.ts';
