export { engineUser, giveToEngineUser, isRoot } from './engine-user.ts';
export { fetchFailed, openPostgres, postgresFolder } from './fetch-postgres.ts';
export {
  engineUnavailable,
  isExecutable,
  type Machine,
  type PostgresRelease,
  postgres18,
  postgresPlatform,
  thisMachine,
} from './machine.ts';
export {
  copyDataFolder,
  createDataFolder,
  findFreePort,
  isPostgresReady,
  postgresArguments,
  postgresProgram,
  throwawaySettings,
} from './postgres-server.ts';
export {
  type LaunchPlan,
  readLogEnd,
  runSupervised,
  type Startable,
  type Supervised,
  startFailed,
  supervise,
  waitUntilReady,
} from './supervised.ts';
export {
  cachedFolder,
  createOwnedFolder,
  createWorkFolder,
  removeFolder,
  sweepCache,
  sweepFolders,
  type WorkFolder,
} from './work-folder.ts';
