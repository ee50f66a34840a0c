export { type BackendContract, describeBackendContract } from './backend-contract.ts';
export { type CallOptions, connectTestClient, type TestClient, type TestReply } from './client.ts';
export type { Able, BackendHarness } from './contract-rig.ts';
export { describeEras } from './eras-suite.ts';
export { failureOf } from './failure-of.ts';
export {
  createFakeEngine,
  type FakeBackend,
  type FakeBehaviour,
  type FakeEngine,
  FakeEngineError,
  formatFakeError,
  isFakeStaleError,
} from './fake-engine.ts';
export { createFakeProgram, type FakeProgram } from './fake-program.ts';
export { createFakeRegistry, type FakeRegistry } from './fake-registry.ts';
export { createFakeTerminal, type FakeTerminal, type FakeTerminalOptions } from './fake-terminal.ts';
export { createFakeTunnel, type FakeTunnel, type FakeTunnelOptions } from './fake-tunnel.ts';
export { describeFirstTime, type FirstTime } from './first-time-suite.ts';
export { createLazyStream } from './lazy-stream.ts';
export { type BuiltServer, describeServerLife } from './life-suite.ts';
export { findUnusedPort, listenOnLoopback, openSilentServer } from './loopback.ts';
export { type OpenLeaf, openLeaf } from './open-leaf.ts';
export { describePersonFields, type PersonFields } from './person-fields-suite.ts';
export { childrenOf, descendantsOf } from './process-tree.ts';
export { type Exit, type Message, ServerProcess, type ServerProcessOptions, textOf } from './server-process.ts';
export { describeTarball, type PackedLeaf } from './tarball-suite.ts';
export { createTempFolder, type Folder, type TempFolder } from './temp-folder.ts';
export { type DefinedTools, describeToolDefinitions } from './tool-definitions-suite.ts';
export { describeTunnelled, type TunnelledServer } from './tunnel-suite.ts';
export { useTempFolder } from './use-temp-folder.ts';
