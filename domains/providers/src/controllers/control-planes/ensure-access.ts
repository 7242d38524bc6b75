import {
  conditionsOf,
  removeCondition,
  type StatedCondition,
  type StepContext,
  type StepResult,
  setCondition,
} from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import { type Accesses, accessesOf } from '../../model/control-planes/accesses.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';
import { ensureOneAccess } from './ensure-one-access.ts';
import { removeUnwanted } from './remove-access.ts';

const prefix = 'AccessReady.';

/** Creates the accesses that the tenant requests, and deletes those no longer requested. */
export async function ensureAccess(
  controlPlane: ControlPlane,
  deps: ControlPlaneDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const accesses = accessesOf(controlPlane, deps.config());
  const given: Record<string, { name: string }> = {};
  const conditions: StatedCondition[] = accesses.bad.map(({ id, problem }) => ({
    type: `${prefix}${id}`,
    status: 'False',
    reason: 'ConfigurationProblem',
    message: problem,
  }));
  for (const access of accesses.wanted) {
    const outcome = await ensureOneAccess(controlPlane, access, deps);
    conditions.push({ type: `${prefix}${access.id}`, ...outcome });
    if (outcome.status === 'True') given[access.id] = { name: access.secretName };
  }
  await removeUnwanted(controlPlane, accesses.wanted, deps);
  controlPlane.status = { ...controlPlane.status, access: given };
  report(controlPlane, accesses, conditions, now);
  return 'continue';
}

function report(
  controlPlane: ControlPlane,
  { wanted, bad }: Accesses,
  conditions: readonly StatedCondition[],
  now: Date,
): void {
  const kept = new Set([...wanted, ...bad].map(({ id }) => `${prefix}${id}`));
  for (const { type } of conditionsOf(controlPlane)) {
    if (type.startsWith(prefix) && !kept.has(type)) removeCondition(controlPlane, type);
  }
  for (const condition of conditions) setCondition(controlPlane, condition, now);
  setCondition(controlPlane, summary(conditions), now);
}

function summary(conditions: readonly StatedCondition[]): StatedCondition {
  const type = 'AllAccessReady';
  const missing = conditions.filter(({ status }) => status !== 'True');
  const [first] = missing;
  if (first === undefined) return { type, status: 'True', reason: 'AllAccessReady' };
  const names = missing.map(condition => condition.type.slice(prefix.length)).sort();
  return {
    type,
    status: 'False',
    reason: first.reason,
    message: `Not ready: ${names.join(', ')}. ${first.message ?? ''}`,
  };
}
