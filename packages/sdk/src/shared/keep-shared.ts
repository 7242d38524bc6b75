import { hash8 } from '@chandlery/clusters/kinds';
import { isConditionTrue, type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Access } from '../access/access.ts';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { SharedContext } from '../definition/service.ts';
import type { AccessWish } from '../model/access-wishes.ts';
import { phaseOf } from '../model/phase.ts';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { Desired, ManagedObjects, OwnerInfo } from '../objects/managed-objects.ts';
import { cleared } from '../reconcile/stages/give-back.ts';

export interface SharedNeeds {
  readonly provider: string;
  /** Stands for the configuration among the owners of managed objects. */
  readonly key: string;
  desired(context: SharedContext): Promise<readonly Desired[]>;
  readonly access: Pick<Access, 'ensure' | 'find' | 'release'>;
  /** The way to the workload cluster. */
  readonly workload: AccessWish;
  readonly managed: ManagedObjects;
  readonly platform: SharedContext['platform'];
  /** How many service objects there are. */
  countServices(): number;
  /** Something of this kind had been changed by somebody else. */
  onDrift(kind: string): void;
}

/** Watches tell when things are gone; this is for what they cannot see. */
const removalCheckMs = 5000;

/** Makes what all tenants share be as the configuration wants it. */
export async function keepShared(config: ConfigObject, needs: SharedNeeds, step: StepContext): Promise<StepResult> {
  const state = await needs.access.ensure(needs.workload, step.signal);
  if (state.type !== 'ready') return wait(config, step, state.type === 'waiting' ? state.message : 'No cluster.');
  const desired = await desiredOf(config, needs, step, state.connection);
  const connections = { workload: state.connection };
  const report = await needs.managed.apply(ownerOf(config, needs), connections, desired, step.signal);
  for (const { kind, isDrift } of report.changes) if (isDrift) needs.onDrift(kind);
  config.status = { ...config.status, resources: report.resources.map(entry => ({ ...entry })) };
  if (!report.isReady) wait(config, step, report.message, report.reason);
  else setCondition(config, { type: 'Ready', status: 'True', reason: 'ReconcileSuccess' }, step.now);
  config.status.phase = phaseOf(config, true);
  return report.lookAgainAfterMs === undefined ? 'continue' : { retryAfterMs: report.lookAgainAfterMs };
}

/**
 * Takes it away, after the last object that may need it. That nothing is left is stored before access is given back:
 * otherwise a pass in between would ask for access again, and give it back again, for ever.
 */
export async function endShared(config: ConfigObject, needs: SharedNeeds, step: StepContext): Promise<StepResult> {
  if (needs.countServices() > 0) return wait(config, step, 'Objects of tenants are still there.', 'InUse');
  if (!isConditionTrue(config, cleared)) return takeAway(config, needs, step);
  const { place } = needs.workload;
  needs.managed.forget(`${place.namespace}/${place.name}`);
  const left = await needs.access.release(needs.workload, step.signal);
  return left === undefined ? 'continue' : wait(config, step, `Waiting for the end of ${left}.`);
}

async function takeAway(config: ConfigObject, needs: SharedNeeds, step: StepContext): Promise<StepResult> {
  const state = await needs.access.find(needs.workload, step.signal);
  if (state.type === 'waiting') return wait(config, step, state.message);
  if (state.type === 'ready') {
    const desired = await desiredOf(config, needs, step, state.connection);
    const connections = { workload: state.connection };
    const report = await needs.managed.remove(ownerOf(config, needs), connections, desired, step.signal);
    if (!report.isGone) {
      wait(config, step, report.message);
      return { retryAfterMs: removalCheckMs };
    }
  }
  setCondition(config, { type: cleared, status: 'True', reason: 'NothingLeft' }, step.now);
  wait(config, step, 'Giving back access to the workload cluster.');
  return { retryAfterMs: 0 };
}

const ownerOf = (config: ConfigObject, { key }: SharedNeeds): OwnerInfo => ({
  key,
  instanceId: hash8(key),
  kind: config.kind,
  resources: (config.status?.resources ?? []).map(entry => ({ apiGroup: '', message: '', ...entry })),
});

async function desiredOf(
  config: ConfigObject,
  needs: SharedNeeds,
  { signal, now, logger }: StepContext,
  workload: ClusterConnection,
): Promise<readonly Desired[]> {
  const { provider, platform } = needs;
  return needs.desired({ provider, config, workload, platform, signal, now, logger });
}

function wait(config: ConfigObject, { now }: StepContext, message: string, reason = 'Reconciling'): StepResult {
  setCondition(config, { type: 'Ready', status: 'False', reason, message }, now);
  config.status = { ...config.status, phase: phaseOf(config, true) };
  return 'stop';
}
