import type { WorkResult } from '@chandlery/runtime';
import { notFound, SmError } from '../../errors.ts';
import { globalTenant } from '../../kinds/index.ts';
import { choosePlan, type WantedPlan } from '../../model/catalog/choose-plan.ts';
import { isPlanVisibleToTenant } from '../../model/catalog/tenant-visibility.ts';
import { type Desired, differenceOf, notYet, undoingOf } from '../../model/operations/adoption.ts';
import { enginePaths } from '../../model/operations/operation-state.ts';
import {
  available,
  creating,
  notReady,
  notSynced,
  statedConditions,
  synced,
} from '../../model/operations/row-conditions.ts';
import { type InstanceRow, type PlanRow, removeRow, updateRow } from '../../model/rows.ts';
import { isOperatedHere } from '../../model/sharing/owner.ts';
import { countBindings, referencesOf } from '../../model/sharing/rows-of-instance.ts';
import { readSpecParameters } from '../operations/read-parameters.ts';
import { adoptionDecision, factsOf } from './adoption-decision.ts';
import { type AdoptionDeps, state } from './adoption-deps.ts';
import { orderDeletion, orderFromKubernetes } from './order-from-kubernetes.ts';

/** Secrets with parameters are not watched, so an instance that waits for one is requeued. */
const parametersAgainMs = 10_000;

/** Turns what an instance says into operations. */
export async function adoptInstance(deps: AdoptionDeps, row: InstanceRow): Promise<WorkResult> {
  const decision = adoptionDecision(deps, enginePaths.instances, row);
  if (decision.type === 'delete') return removeInstance(deps, row);
  if (decision.type === 'wait') return { requeueAfterMs: decision.delayMs };
  if (decision.type === 'nothing' || !isOperatedHere(row)) return 'done';
  const desired = await desiredOf(deps, row);
  if (desired === 'done' || 'requeueAfterMs' in desired) return desired;
  if (decision.type === 'create') return createInstance(deps, row, desired);
  return compare(deps, row, { desired, isRetry: decision.isRetry });
}

/** What the spec asks for; when it cannot be said, the row says why. */
async function desiredOf(deps: AdoptionDeps, row: InstanceRow): Promise<Desired | WorkResult> {
  const { registry } = deps;
  let reason = 'PlanNotFound';
  try {
    const plan = findDesiredPlan(deps, row);
    const offering = registry.offerings.get(plan.spec.offeringId);
    if (offering === undefined) throw notFound('service offering');
    reason = 'ParametersNotFound';
    return { plan, offering, parameters: await readSpecParameters(registry, row) };
  } catch (error) {
    if (!(error instanceof SmError)) throw error;
    const isAmbiguous = reason === 'PlanNotFound' && error.code === 'BadRequest';
    await stateReason(deps, row, { reason: isAmbiguous ? 'PlanAmbiguous' : reason, message: error.message });
    return reason === 'ParametersNotFound' ? { requeueAfterMs: parametersAgainMs } : 'done';
  }
}

function stateReason(deps: AdoptionDeps, row: InstanceRow, why: { reason: string; message: string }): Promise<void> {
  const { reason, message } = why;
  const stated = notSynced(reason, message);
  return state(
    deps,
    { table: 'instances', row },
    row.status.ready === true ? [stated] : [stated, notReady(reason, message)],
  );
}

function findDesiredPlan({ registry, settings }: AdoptionDeps, row: InstanceRow): PlanRow {
  const { tenant } = row;
  const { ownPlatformTypes } = settings;
  const isUsable = (plan: PlanRow): boolean =>
    tenant === globalTenant ||
    plan.id === row.status.planId ||
    isPlanVisibleToTenant(registry, plan, { tenant, ownPlatformTypes });
  return choosePlan(registry, wantedPlan(row, registry.plans.get(row.spec.planId ?? '')), isUsable);
}

/** The id counts, unless it is the one that the broker has and the name has been changed. Throws `NotFound` without either. */
function wantedPlan({ spec, status }: InstanceRow, named: PlanRow | undefined): WantedPlan {
  const { planId, offeringName, planName, brokerName } = spec;
  const isRenamed = planId === status.planId && named !== undefined && named.spec.name !== planName;
  if (offeringName !== undefined && planName !== undefined && (planId === undefined || isRenamed))
    return { offeringName, planName, ...(brokerName === undefined ? {} : { brokerName }) };
  if (planId !== undefined) return { planId };
  const missing = offeringName === undefined ? 'offeringName' : 'planName';
  throw notFound('service plan', `spec.${missing} is missing, and so is spec.planId`);
}

async function createInstance(deps: AdoptionDeps, row: InstanceRow, desired: Desired): Promise<WorkResult> {
  const { registry, clock } = deps;
  const { plan, parameters } = desired;
  const spec = { ...row.spec, planId: plan.id };
  const status = {
    ...row.status,
    ready: false,
    usable: false,
    observedGeneration: row.generation + (row.spec.planId === plan.id ? 0 : 1),
    conditions: statedConditions(row, creating, clock.now()),
  };
  const order = {
    type: 'create',
    resourceType: enginePaths.instances,
    resourceId: row.id,
    tenant: row.tenant,
    userInfo: row.spec.userInfo,
  } as const;
  await registry.commit([
    updateRow({ table: 'instances', row, spec, status }),
    ...orderFromKubernetes(registry, { ...order, parameters }),
  ]);
  return 'done';
}

async function compare(
  deps: AdoptionDeps,
  row: InstanceRow,
  { desired, isRetry }: { readonly desired: Desired; readonly isRetry: boolean },
): Promise<WorkResult> {
  const { registry, clock } = deps;
  const facts = factsOf(deps, enginePaths.instances, row);
  // A change that failed may have been carried out in part: going back from it is a change for the broker as well.
  const isUndone = isRetry && !isSeen(row);
  const difference = differenceOf(row, desired) ?? (isUndone ? undoingOf(facts.last, desired) : undefined);
  if (difference === undefined) return isSeen(row) ? 'done' : seen(deps, row);
  if (isRetry && row.generation === row.status.observedGeneration) {
    if (facts.last?.status.retryable !== true) return 'done';
    const wait = notYet(facts, { type: 'nothing' });
    if (wait.type === 'wait') return { requeueAfterMs: wait.delayMs };
  }
  const conditions = statedConditions(row, [notSynced('Updating', 'the broker is asked to change it')], clock.now());
  const status = { ...row.status, conditions, observedGeneration: row.generation };
  const order = {
    type: 'update',
    resourceType: enginePaths.instances,
    resourceId: row.id,
    tenant: row.tenant,
    userInfo: row.spec.userInfo,
  } as const;
  await registry.commit([
    updateRow({ table: 'instances', row, status }),
    ...orderFromKubernetes(registry, { ...order, ...difference }),
  ]);
  return 'done';
}

const isSeen = ({ generation, status }: InstanceRow): boolean => status.observedGeneration === generation;

async function seen(deps: AdoptionDeps, row: InstanceRow): Promise<WorkResult> {
  await state(deps, { table: 'instances', row }, [available, synced]);
  return 'done';
}

/** What hangs on it must go first; the last of those to go wakes it. */
async function removeInstance(deps: AdoptionDeps, row: InstanceRow): Promise<WorkResult> {
  const { registry } = deps;
  const bindings = countBindings(registry, row);
  const references = referencesOf(registry, row).length;
  if (bindings > 0)
    return blocked(deps, row, { reason: 'BindingsExist', message: `${bindings} bindings must be deleted first` });
  if (references > 0) {
    return blocked(deps, row, {
      reason: 'ReferencesExist',
      message: `${references} references to it must be deleted first`,
    });
  }
  const wasNeverOrdered = row.status.ready === undefined && registry.operations.count('resourceId', row.id) === 0;
  const order = {
    type: 'delete',
    resourceType: enginePaths.instances,
    resourceId: row.id,
    tenant: row.tenant,
  } as const;
  if (wasNeverOrdered) await registry.commit([removeRow('instances', row)]);
  else await orderDeletion(registry, order);
  return 'done';
}

async function blocked(
  deps: AdoptionDeps,
  row: InstanceRow,
  why: { reason: string; message: string },
): Promise<WorkResult> {
  await state(deps, { table: 'instances', row }, [notSynced(why.reason, why.message)]);
  return 'done';
}
