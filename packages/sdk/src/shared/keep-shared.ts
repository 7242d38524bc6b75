import { hash8 } from '@chandlery/clusters/kinds';
import { sharedHolderOf } from '@chandlery/providers/kinds';
import { isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Access } from '../access/access.ts';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { SharedContext } from '../definition/service.ts';
import type { AccessRequirement } from '../model/access-requirements.ts';
import { phaseOf } from '../model/phase.ts';
import { keptKinds } from '../model/retention.ts';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { Desired, ManagedObjects, OwnerInfo } from '../objects/managed-objects.ts';
import { cleared } from '../reconcile/steps/give-back.ts';

export interface SharedDeps {
  readonly provider: string;
  /** The key of the configuration as an owner of managed objects. */
  readonly key: string;
  desired(context: SharedContext): Promise<readonly Desired[]>;
  readonly access: Pick<Access, 'ensure' | 'find' | 'release' | 'prepareHandOver'>;
  /** Access to the workload cluster. */
  readonly workload: AccessRequirement;
  readonly managed: ManagedObjects;
  readonly platform: SharedContext['platform'];
  /** The number of service objects. */
  countServices(): number;
  /** The names of retained services of the provider, which use the shared objects. */
  retainedServices(): Promise<readonly string[]>;
  /** Whether the provider is being deleted and leaves its services running. */
  isLeaving(): boolean;
  /** Called when an object of this kind was repaired. */
  onDrift(kind: string): void;
}

/** How often to check deletions that no watch reports. */
const removalCheckMs = 5000;
/** How often to check for retained services, which are not watched: only an operator waits for the configuration. */
const retainedCheckMs = 10_000;

/** Applies the objects that all tenants share. */
export async function keepShared(config: ConfigObject, deps: SharedDeps, step: StepContext): Promise<StepResult> {
  const state = await deps.access.ensure(deps.workload, step.signal);
  if (state.type !== 'ready') return wait(config, step, state.type === 'waiting' ? state.message : 'No cluster.');
  const desired = await desiredOf(config, deps, step, state.connection);
  const connections = { workload: state.connection };
  const report = await deps.managed.apply(ownerOf(config, deps), connections, desired, step.signal);
  for (const { kind, isDrift } of report.changes) if (isDrift) deps.onDrift(kind);
  config.status = { ...config.status, resources: report.resources.map(entry => ({ ...entry })) };
  if (!report.isReady) wait(config, step, report.message, report.reason);
  else setCondition(config, { type: 'Ready', status: 'True', reason: 'ReconcileSuccess' }, step.now);
  config.status.phase = phaseOf(config, true);
  return report.requeueAfterMs === undefined ? 'continue' : { retryAfterMs: report.requeueAfterMs };
}

/**
 * Deletes the shared objects after the last service object. That nothing is left is stored before access is given back:
 * otherwise a reconcile in between would request access again, and give it back, without end.
 */
export async function endShared(config: ConfigObject, deps: SharedDeps, step: StepContext): Promise<StepResult> {
  if (deps.countServices() > 0) return wait(config, step, 'Objects of tenants are still there.', 'InUse');
  const retained = await deps.retainedServices();
  if (!isConditionTrue(config, cleared)) {
    if (retained.length === 0) return takeAway(config, deps, step);
    if (deps.isLeaving()) return letGo(config, deps, step);
    const message = `Services that were let go still need it: RetainedService ${retained.join(', ')}.`;
    wait(config, step, message, 'InUse');
    return { retryAfterMs: retainedCheckMs };
  }
  const { place } = deps.workload;
  deps.managed.forget(`${place.namespace}/${place.name}`);
  // The operator hands the requests over when the provider is deleted.
  if (retained.length > 0) return 'continue';
  const left = await deps.access.release(deps.workload, step.signal);
  return left === undefined ? 'continue' : wait(config, step, `Waiting for the end of ${left}.`);
}

async function takeAway(config: ConfigObject, deps: SharedDeps, step: StepContext): Promise<StepResult> {
  const state = await deps.access.find(deps.workload, step.signal);
  if (state.type === 'waiting') return wait(config, step, state.message);
  if (state.type === 'ready') {
    const desired = await desiredOf(config, deps, step, state.connection);
    const connections = { workload: state.connection };
    const report = await deps.managed.remove(ownerOf(config, deps), connections, desired, step.signal);
    if (!report.isRemoved) {
      wait(config, step, report.message);
      return { retryAfterMs: removalCheckMs };
    }
  }
  setCondition(config, { type: cleared, status: 'True', reason: 'NothingLeft' }, step.now);
  wait(config, step, 'Giving back access to the workload cluster.');
  return { retryAfterMs: 0 };
}

/** Releases the shared objects for the retained services that use them. */
async function letGo(config: ConfigObject, deps: SharedDeps, step: StepContext): Promise<StepResult> {
  const { key, provider, workload, managed } = deps;
  const state = await deps.access.find(workload, step.signal);
  if (state.type === 'waiting') return wait(config, step, state.message);
  if (state.type === 'ready') {
    const desired = await desiredOf(config, deps, step, state.connection);
    const connections = { workload: state.connection };
    const found = await managed.survey(ownerOf(config, deps), connections, desired, step.signal);
    const handOver = { holder: sharedHolderOf(provider), kinds: keptKinds(found, 'workload'), copies: [] };
    await deps.access.prepareHandOver(workload, handOver, step.signal);
    await managed.release(ownerOf(config, deps), connections, desired, step.signal);
  }
  step.logger.info('what all objects share was let go', { key });
  setCondition(config, { type: cleared, status: 'True', reason: 'HandedOver' }, step.now);
  wait(config, step, 'Left to the services that were let go.');
  return { retryAfterMs: 0 };
}

const ownerOf = (config: ConfigObject, { key }: SharedDeps): OwnerInfo => ({
  key,
  instanceId: hash8(key),
  kind: config.kind,
  resources: (config.status?.resources ?? []).map(entry => ({ apiGroup: '', message: '', ...entry })),
});

async function desiredOf(
  config: ConfigObject,
  deps: SharedDeps,
  { signal, now, logger }: StepContext,
  workload: ClusterConnection,
): Promise<readonly Desired[]> {
  const { provider, platform } = deps;
  return deps.desired({ provider, config, workload, platform, signal, now, logger });
}

function wait(config: ConfigObject, { now }: StepContext, message: string, reason = 'Reconciling'): StepResult {
  setCondition(config, { type: 'Ready', status: 'False', reason, message }, now);
  config.status = { ...config.status, phase: phaseOf(config, true) };
  return 'stop';
}
