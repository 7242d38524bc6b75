import { formatMicroTime } from '@chandlery/api';
import type { RolloutPhase } from '../kinds/index.ts';
import type { DesiredVersions } from './instance-events.ts';
import type {
  RolloutCandidate,
  RolloutDecision,
  RolloutFacts,
  RolloutInstance,
  RolloutInstances,
  RolloutSpec,
  RolloutStatus,
} from './rollout-types.ts';
import { waveSizes } from './rollout-waves.ts';

const defaultBudget = 10;
const defaultTimeoutSeconds = 900;

/** A rollout that is not over, at one moment. */
interface Draft {
  readonly spec: RolloutSpec;
  readonly facts: RolloutFacts;
  status: RolloutStatus;
  readonly instances: Map<string, RolloutInstance>;
  readonly changes: { id: string; desired: DesiredVersions }[];
}

/** Whether nothing more happens to a rollout. */
export const isRolloutOver = ({ rolloutPhase }: RolloutStatus): boolean =>
  rolloutPhase === 'Succeeded' || rolloutPhase === 'Failed' || rolloutPhase === 'Aborted';

/** The versions that a rollout moves to; a part that it does not name stays as it is. */
export const targetOf = ({ productVersion, operatorVersion }: RolloutSpec): DesiredVersions => ({
  ...(productVersion === undefined ? {} : { product: productVersion }),
  ...(operatorVersion === undefined ? {} : { operator: operatorVersion }),
});

/**
 * Decides what a rollout does now. Everything that it knows is in its status, so the next leader continues. A wave
 * begins when all instances of the former one have settled; more failures than tolerated pause it; an abort takes
 * instances of the current wave back to their former versions.
 */
export function decideRollout(spec: RolloutSpec, status: RolloutStatus, facts: RolloutFacts): RolloutDecision {
  if (isRolloutOver(status)) return { status, changes: [], pause: false, dueAt: undefined };
  const instances = new Map(Object.entries((status.instances ?? {}) as RolloutInstances));
  const draft: Draft = { spec, facts, status: { ...status }, instances, changes: [] };
  if (status.rolloutPhase === undefined || status.rolloutPhase === 'Pending') begin(draft);
  settle(draft);
  const pause = move(draft);
  return {
    status: { ...draft.status, instances: Object.fromEntries(draft.instances) },
    changes: draft.changes,
    pause,
    dueAt: dueAt(draft),
  };
}

function begin(draft: Draft): void {
  const total = draft.facts.candidates().length;
  draft.status = { ...draft.status, total, wave: 0, upgraded: 0, failed: 0, tolerated: draft.spec.maxFailures ?? 0 };
  enter(draft, 'Progressing', 'the rollout begins');
  fillWave(draft);
}

/** Moves on from what settled. Returns whether a failure paused it. */
function move(draft: Draft): boolean {
  const { spec, status } = draft;
  if (spec.aborted) {
    abort(draft);
    return false;
  }
  if (spec.paused) {
    enter(draft, 'Paused', status.rolloutPhase === 'Paused' ? (status.message ?? '') : 'paused on request');
    return false;
  }
  if (status.rolloutPhase === 'Paused')
    draft.status = { ...status, tolerated: (status.failed ?? 0) + (spec.maxFailures ?? 0) };
  if ((draft.status.failed ?? 0) > (draft.status.tolerated ?? 0)) {
    enter(draft, 'Paused', failureMessage(draft));
    return true;
  }
  progress(draft);
  return false;
}

/** More failures than tolerated are found by the next decision, which the change of the status asks for. */
function progress(draft: Draft): void {
  enter(draft, 'Progressing', `wave ${(draft.status.wave ?? 0) + 1} is in progress`);
  startUpgrades(draft);
  while (isWaveDone(draft) && (draft.status.failed ?? 0) <= (draft.status.tolerated ?? 0)) {
    const sizes = waveSizes(draft.status.total ?? 0, draft.spec.waves);
    const wave = (draft.status.wave ?? 0) + 1;
    draft.instances.clear();
    if (wave >= sizes.length) {
      const { upgraded = 0, failed = 0 } = draft.status;
      return enter(draft, 'Succeeded', `${upgraded} instances run the new versions, ${failed} failed`);
    }
    draft.status = { ...draft.status, wave };
    enter(draft, 'Progressing', `wave ${wave + 1} is in progress`);
    fillWave(draft);
    startUpgrades(draft);
  }
}

const isWaveDone = ({ instances }: Draft): boolean =>
  [...instances.values()].every(({ state }) => state !== 'pending' && state !== 'upgrading');

function fillWave({ spec, facts, status, instances }: Draft): void {
  const size = waveSizes(status.total ?? 0, spec.waves)[status.wave ?? 0] ?? 0;
  const candidates = facts.candidates().filter(({ id }) => !status.rejected?.includes(id));
  for (const { id, clusterId = '', desired = {} } of candidates.slice(0, size))
    instances.set(id, { state: 'pending', clusterId, former: desired });
}

function startUpgrades(draft: Draft): void {
  const { spec, facts, instances } = draft;
  const budget = spec.maxConcurrentPerCluster ?? defaultBudget;
  const running = new Map<string, number>();
  for (const { state, clusterId } of instances.values())
    if (state === 'upgrading') running.set(clusterId, (running.get(clusterId) ?? 0) + 1);
  for (const [id, instance] of instances) {
    const count = running.get(instance.clusterId) ?? 0;
    if (instance.state !== 'pending' || count >= budget) continue;
    const candidate = facts.find(id);
    if (candidate?.state !== 'ready') set(draft, id, { state: 'skipped', reason: 'it is no longer ready' });
    else if (startUpgrade(draft, candidate)) running.set(instance.clusterId, count + 1);
  }
}

function startUpgrade(draft: Draft, candidate: RolloutCandidate): boolean {
  const target = targetOf(draft.spec);
  const problem = draft.facts.problemOf(candidate, target);
  if (problem !== undefined) {
    set(draft, candidate.id, { state: 'failed', reason: problem });
    const { failed = 0, rejected = [] } = draft.status;
    draft.status = { ...draft.status, failed: failed + 1, rejected: [...rejected, candidate.id] };
    return false;
  }
  draft.changes.push({ id: candidate.id, desired: { ...candidate.desired, ...target } });
  set(draft, candidate.id, { state: 'upgrading', since: formatMicroTime(draft.facts.now) });
  return true;
}

/** Finds out which changes of versions have ended, and how. */
function settle(draft: Draft): void {
  for (const [id, instance] of draft.instances) {
    if (instance.state !== 'upgrading' && instance.state !== 'reverting') continue;
    const end = endOf(draft, instance, draft.facts.find(id));
    if (end === undefined) continue;
    set(draft, id, end);
    if (end.state === 'upgraded') draft.status = { ...draft.status, upgraded: (draft.status.upgraded ?? 0) + 1 };
    if (end.state === 'failed') draft.status = { ...draft.status, failed: (draft.status.failed ?? 0) + 1 };
  }
}

function endOf(
  { spec, facts }: Draft,
  { state, former, since }: RolloutInstance,
  candidate: RolloutCandidate | undefined,
): Pick<RolloutInstance, 'state' | 'reason'> | undefined {
  if (candidate === undefined || candidate.state === 'deprovision' || candidate.state === 'deleting')
    return { state: 'skipped', reason: 'it is being deleted' };
  const wanted = state === 'upgrading' ? targetOf(spec) : former;
  if (candidate.state === 'ready' && runs(candidate, wanted))
    return { state: state === 'upgrading' ? 'upgraded' : 'reverted' };
  if (state === 'upgrading' && candidate.state === 'failed')
    return { state: 'failed', reason: candidate.failedReason ?? 'it failed' };
  if (facts.now.getTime() < timeoutOf(spec, since)) return undefined;
  return { state: 'failed', reason: `it did not change its version within ${timeoutSeconds(spec)} seconds` };
}

const runs = ({ actual, upgrading }: RolloutCandidate, wanted: DesiredVersions): boolean =>
  (wanted.product === undefined || (actual?.product === wanted.product && !upgrading?.product)) &&
  (wanted.operator === undefined || (actual?.operator === wanted.operator && !upgrading?.operator));

function abort(draft: Draft): void {
  if (draft.status.rolloutPhase !== 'Aborting') {
    for (const [id, { state, former }] of draft.instances) {
      if (state === 'pending') set(draft, id, { state: 'skipped', reason: 'the rollout was aborted' });
      if (state !== 'upgrading' && state !== 'upgraded' && state !== 'failed') continue;
      draft.changes.push({ id, desired: former });
      set(draft, id, { state: 'reverting', since: formatMicroTime(draft.facts.now) });
    }
    enter(draft, 'Aborting', `wave ${(draft.status.wave ?? 0) + 1} is taken back`);
  }
  if ([...draft.instances.values()].every(({ state }) => state !== 'reverting'))
    enter(draft, 'Aborted', `wave ${(draft.status.wave ?? 0) + 1} was taken back`);
}

function set(draft: Draft, id: string, change: Partial<RolloutInstance>): void {
  const { reason: _, ...before } = draft.instances.get(id) as RolloutInstance;
  draft.instances.set(id, { ...before, ...change });
}

function enter(draft: Draft, rolloutPhase: RolloutPhase, message: string): void {
  draft.status = { ...draft.status, rolloutPhase, message };
}

function failureMessage({ instances }: Draft): string {
  const failed = [...instances].find(([, { state }]) => state === 'failed');
  return failed === undefined
    ? 'paused because of failures'
    : `paused because of failures, such as instance ${failed[0]}: ${failed[1].reason ?? ''}`;
}

const timeoutSeconds = ({ instanceTimeoutSeconds = defaultTimeoutSeconds }: RolloutSpec): number =>
  instanceTimeoutSeconds;
const timeoutOf = (spec: RolloutSpec, since: string | undefined): number =>
  Date.parse(since ?? '') + timeoutSeconds(spec) * 1000;

function dueAt({ spec, instances }: Draft): Date | undefined {
  const times = [...instances.values()]
    .filter(({ state }) => state === 'upgrading' || state === 'reverting')
    .map(({ since }) => timeoutOf(spec, since));
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}
