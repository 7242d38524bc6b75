import type { ServiceStep } from './reconcile-scope.ts';
import { adopt } from './steps/adopt.ts';
import { applyObjects } from './steps/apply-objects.ts';
import { blockWhileUsed } from './steps/block-while-used.ts';
import { clearReconcileRequest } from './steps/clear-reconcile-request.ts';
import { disengageSyncer, endService } from './steps/end-service.ts';
import { engageSyncer } from './steps/engage-syncer.ts';
import { giveBackAccess, giveBackConfig, markCleared, skipNeverServed, untilCleared } from './steps/give-back.ts';
import { lateInitialize } from './steps/late-initialize.ts';
import { leaveWithProvider } from './steps/leave-with-provider.ts';
import { noteConfig, observeExternal } from './steps/observe-external.ts';
import { findAccess, obtainAccess } from './steps/obtain-access.ts';
import { publishConnection } from './steps/publish-connection.ts';
import { readConfig } from './steps/read-config.ts';
import { reportListening } from './steps/report-listening.ts';
import { reportReady } from './steps/report-ready.ts';

/** The steps of a reconcile, in calling order. */
export const serviceSteps: readonly ServiceStep[] = [
  clearReconcileRequest,
  leaveWithProvider,
  readConfig,
  obtainAccess,
  applyObjects,
  observeExternal,
  lateInitialize,
  publishConnection,
  reportListening,
  engageSyncer,
  noteConfig,
  adopt,
  reportReady,
];

/** The steps of a deletion, in calling order. */
export const deletionSteps: readonly ServiceStep[] = [
  clearReconcileRequest,
  skipNeverServed,
  ...[readConfig, findAccess, blockWhileUsed, disengageSyncer, endService, markCleared].map(untilCleared),
  giveBackAccess,
  giveBackConfig,
];
