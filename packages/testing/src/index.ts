/**
 * Real parts for tests: temporary folders, free ports, processes that cannot outlive the test, the real kubectl, and
 * transcripts of commands. Product code does not import this package.
 */
export { findEnvoy } from './envoy-binary.ts';
export { freePort, freePorts } from './free-port.ts';
export { type KubectlOptions, kubectl, startKubectl } from './kubectl.ts';
export { kubectlPath } from './kubectl-binary.ts';
export {
  type LandscapeAnswer,
  type LandscapeRequest,
  startTestLandscape,
  type TestCluster,
  type TestLandscape,
  type TestLandscapeOptions,
} from './landscape.ts';
export { longRun } from './long-run.ts';
export { whyNoNetworks } from './network-tools.ts';
export { type CollectedSpan, type OtlpCollector, startOtlpCollector } from './otlp-collector.ts';
export { findDebianProgram } from './peers/debian-packages.ts';
export {
  findArgo,
  findBind,
  findChromium,
  findCloudSdks,
  findDig,
  findHelm,
  findKeycloak,
  findMoto,
  findPebble,
  findPrometheus,
} from './peers/find-peers.ts';
export { type FoundProgram, whySkipped } from './peers/found-program.ts';
export { startTestPlane, type TestPlane, type TestPlaneOptions } from './plane.ts';
export { postgresBinaries } from './postgres/postgres-binaries.ts';
export { type Account, serverAccount } from './postgres/server-account.ts';
export { type Postgres, type StartPostgresOptions, startPostgres } from './postgres/start-postgres.ts';
export { type ProcessEnd, type RunningProcess, type StartProcessOptions, startProcess } from './processes.ts';
export { type ProcessResult, type RunProcessOptions, runProcess } from './run-process.ts';
export { type TempFolder, tempFolder } from './temp-folder.ts';
export { runTranscript, type TranscriptOptions } from './transcript.ts';
export { type EventuallyOptions, eventually } from './wait-for.ts';
