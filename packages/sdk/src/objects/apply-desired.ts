import { type Applied, applyObject, changeOf } from './apply-object.ts';
import { type DesiredObject, titleOf, whereOf } from './desired-object.ts';
import type { ApplyReason, ApplyReport, Change, ResourceEntry } from './managed-objects.ts';
import { removeObject } from './removal.ts';
import { findLeftovers, locations, type Work } from './work.ts';

interface Outcome extends Applied {
  readonly desired: DesiredObject;
}

/** The report of an apply, with what only its caller needs. */
export interface AppliedAll extends ApplyReport {
  /** For each repaired deviation, when it was detected. */
  readonly repairedSinceMs: readonly number[];
}

/** Objects that no watch covers are checked again: early while the cluster is not ready, otherwise seldom. */
const retryAfterMs = { seldom: 60_000, early: 2000 };

/** Applies all desired objects in order, then deletes those that are no longer desired. */
export async function applyDesired(work: Work, desiredObjects: readonly DesiredObject[]): Promise<AppliedAll> {
  const outcomes: Outcome[] = [];
  for (const desired of desiredObjects) {
    outcomes.push({ ...(await applyUnlessDoomed(work, desired, outcomes)), desired });
  }
  const { allows } = work.owner;
  const mayPrune = allows === undefined || (allows.has('Update') && allows.has('Delete'));
  const pruned = mayPrune ? await prune(work, desiredObjects) : [];
  return reportOf(outcomes, pruned);
}

/** Skips objects whose namespace is being deleted; they are created again afterwards. */
async function applyUnlessDoomed(work: Work, desired: DesiredObject, before: readonly Outcome[]): Promise<Applied> {
  const doomed = before.some(
    ({ desired: { role, body }, health }) =>
      role === desired.role &&
      body.kind === 'Namespace' &&
      body.metadata.name === desired.ref.namespace &&
      health.phase === 'Terminating',
  );
  if (!doomed) return applyObject(work, desired);
  return { health: { phase: 'Pending', message: `namespace "${desired.ref.namespace}" is being deleted` } };
}

async function prune(work: Work, desiredObjects: readonly DesiredObject[]): Promise<Change[]> {
  const changes: Change[] = [];
  for (const found of await findLeftovers(work, desiredObjects)) {
    if (found.object.metadata.deletionTimestamp !== undefined) continue;
    await removeObject(work, found);
    const desired = { role: found.role, body: found.object } as DesiredObject;
    changes.push(changeOf(desired, 'delete', [], false));
  }
  return changes;
}

function reportOf(outcomes: readonly Outcome[], pruned: readonly Change[]): AppliedAll {
  const changes = outcomes.flatMap(({ change }) => change ?? []);
  const unready = outcomes.find(({ health }) => health.phase !== 'Ready');
  const isEarly = outcomes.some(
    ({ isBlind, isConflict, isMissing, health }) => isBlind && !isConflict && !isMissing && health.phase === 'Pending',
  );
  const afterMs = isEarly ? retryAfterMs.early : retryAfterMs.seldom;
  return {
    changes: [...changes, ...pruned],
    resources: outcomes.map(entryOf),
    isReady: unready === undefined,
    reason: reasonOf(outcomes),
    message: unready === undefined ? '' : sentenceOf(unready),
    ...(outcomes.some(({ isBlind }) => isBlind) ? { requeueAfterMs: afterMs } : {}),
    repairedSinceMs: outcomes.flatMap(({ driftedAtMs, change }) => (change?.isDrift && driftedAtMs) || []),
  };
}

function reasonOf(outcomes: readonly Outcome[]): ApplyReason {
  if (outcomes.some(({ isConflict }) => isConflict)) return 'Conflict';
  if (outcomes.some(({ isMissing }) => isMissing)) return 'Missing';
  if (outcomes.some(({ health }) => health.phase === 'Failed')) return 'Failed';
  return outcomes.every(({ health }) => health.phase === 'Ready') ? 'Ready' : 'Progressing';
}

const sentenceOf = ({ desired, health, isConflict }: Outcome): string =>
  `${titleOf(desired.body)} ${whereOf(desired.role)} ${isConflict ? 'is not ours' : 'is not ready'}: ${health.message}.`;

function entryOf({ desired: { role, ref, body }, health }: Outcome): ResourceEntry {
  return {
    apiGroup: ref.group,
    kind: body.kind,
    name: ref.name,
    ...(ref.namespace ? { namespace: ref.namespace } : {}),
    phase: health.phase,
    message: health.message,
    location: locations[role],
  };
}
