export { type BackendContract, describeBackendContract } from './backend-contract.ts';
export type { Able, BackendHarness } from './contract-rig.ts';
export { findUnusedPort, openSilentServer } from './contract-rig.ts';
export {
  createFakeEngine,
  type FakeBackend,
  type FakeBehaviour,
  type FakeEngine,
  FakeEngineError,
  formatFakeError,
  isFakeStaleError,
} from './fake-engine.ts';
export { createFakeRegistry, type FakeRegistry } from './fake-registry.ts';
export { createFakeTunnel, type FakeTunnel, type FakeTunnelOptions } from './fake-tunnel.ts';
export { createLazyStream } from './lazy-stream.ts';
