import type { Stage } from './pass.ts';
import { adopt } from './stages/adopt.ts';
import { answerRequest } from './stages/answer-request.ts';
import { applyObjects } from './stages/apply-objects.ts';
import { disengageSyncer, endService } from './stages/end-service.ts';
import { engageSyncer } from './stages/engage-syncer.ts';
import { giveBackAccess, giveBackConfig, markCleared, skipNeverServed, untilCleared } from './stages/give-back.ts';
import { lateInitialize } from './stages/late-initialize.ts';
import { leaveWithProvider } from './stages/leave-with-provider.ts';
import { noteConfig, observeWorld } from './stages/observe-world.ts';
import { findAccess, obtainAccess } from './stages/obtain-access.ts';
import { publishConnection } from './stages/publish-connection.ts';
import { readConfig } from './stages/read-config.ts';
import { refuseWhileUsed } from './stages/refuse-while-used.ts';
import { reportReady } from './stages/report-ready.ts';

/** What is done for an object, in order. */
export const keepStages: readonly Stage[] = [
  answerRequest,
  leaveWithProvider,
  readConfig,
  obtainAccess,
  applyObjects,
  observeWorld,
  lateInitialize,
  publishConnection,
  engageSyncer,
  noteConfig,
  adopt,
  reportReady,
];

/** What is done when an object goes, in order. */
export const endStages: readonly Stage[] = [
  answerRequest,
  skipNeverServed,
  ...[readConfig, findAccess, refuseWhileUsed, disengageSyncer, endService, markCleared].map(untilCleared),
  giveBackAccess,
  giveBackConfig,
];
