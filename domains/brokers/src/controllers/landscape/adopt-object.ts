import { isError } from '@chandlery/api';
import type { Clock } from '@chandlery/platform';
import type { WorkResult } from '@chandlery/runtime';
import { type InternalBroker, type InternalObject, parseInternalName } from '../../kinds/index.ts';
import { adoptedSpec, adoptedStatus, withListening } from '../../model/landscape/adopted-row.ts';
import { adoptedLabel, decideObject, type ObjectDecision } from '../../model/landscape/decide-object.ts';
import { isEnded, isOpen } from '../../model/operations/operation-state.ts';
import { planCascade } from '../../model/operations/plan-cascade.ts';
import {
  checkRow,
  createRow,
  type InstanceRow,
  type OperationRow,
  type Registry,
  removeRow,
  updateRow,
} from '../../model/rows.ts';
import { landscapePlanOf } from './landscape-plan.ts';

/** What the adoption of a domain's instances needs. */
export interface AdoptObjectDeps {
  readonly registry: Registry;
  readonly clock: Clock;
  /** Calls back when the plan with this id of the source is there. */
  readonly awaitPlan: (catalogId: string) => void;
}

/** An instance of a domain. */
export interface SourceObject {
  /** The name of the source. */
  readonly name: string;
  readonly source: Pick<InternalBroker, 'objects'>;
  readonly id: string;
}

/** Brings the row of an instance into agreement with the domain's object. Idempotent. */
export async function adoptObject(deps: AdoptObjectDeps, { name, source, id }: SourceObject): Promise<WorkResult> {
  const { registry, clock } = deps;
  const { objects } = source;
  if (objects === undefined) return 'done';
  const object = await objects.get(id);
  const row = registry.instances.get(id);
  if (row !== undefined && !isOf(registry, row, { source: name, tenant: object?.tenant })) return 'done';
  if (object === undefined && !objects.isComplete(serviceIdOf(registry, row))) return 'done';
  // A deletion that has failed and is tried again is in vain when there is nothing left to delete.
  const isVain = (operation: OperationRow): boolean =>
    object === undefined && operation.spec.type === 'delete' && !isOpen(operation);
  const isBusy = [...registry.operations.by('resourceId', id)].some(
    operation => !isEnded(operation) && !isVain(operation),
  );
  const decision = decideObject({ object, row, isBusy, now: clock.now() });
  return carryOut(deps, decision, name);
}

/** Whether a row is about an object of a source: ids of objects can be chosen, and must not lead to rows of others. */
function isOf(
  { plans, brokers }: Registry,
  row: InstanceRow,
  { source, tenant = row.tenant }: { readonly source: string; readonly tenant?: string | undefined },
): boolean {
  if (row.tenant !== tenant) return false;
  const plan = plans.get(row.status.planId ?? row.spec.planId ?? '');
  // With the namespace of a tenant its own plans are deleted, before its instances.
  if (plan === undefined) return row.isDeleting || row.spec.labels?.[adoptedLabel]?.includes(source) === true;
  const internal = brokers.get(plan.spec.brokerId)?.spec.internal;
  return internal !== undefined && parseInternalName(internal).source === source;
}

/** The id of an instance's service at the source. */
function serviceIdOf({ plans, offerings }: Registry, row: InstanceRow | undefined): string {
  const plan = plans.get(row?.status.planId ?? row?.spec.planId ?? '');
  return offerings.get(plan?.spec.offeringId ?? '')?.spec.catalogId ?? '';
}

async function carryOut(deps: AdoptObjectDeps, decision: ObjectDecision, source: string): Promise<WorkResult> {
  switch (decision.type) {
    case 'nothing':
      return 'done';
    case 'wait':
      return { requeueAfterMs: decision.delayMs };
    case 'adopt':
      return adopt(deps, decision.object, source);
    case 'report':
      await report(deps, decision);
      return 'done';
    case 'listen':
      await listen(deps, decision);
      return 'done';
    case 'remove':
      await remove(deps, decision.row);
      return 'done';
  }
}

async function adopt(deps: AdoptObjectDeps, object: InternalObject, source: string): Promise<WorkResult> {
  const { registry, clock } = deps;
  const plan = landscapePlanOf(registry, object.planId);
  if (plan === undefined) {
    deps.awaitPlan(object.planId);
    return 'done';
  }
  const row = createRow({
    table: 'instances',
    id: object.id,
    tenant: object.tenant,
    spec: adoptedSpec(object, { name: freeName(registry, object), plan, source }),
    status: adoptedStatus(object, { plan, now: clock.now() }),
  });
  try {
    await registry.commit([row, checkRow('plans', plan)]);
  } catch (error) {
    // The namespace of the tenant is being deleted, and the object with it.
    if (!isError(error, 'Forbidden')) throw error;
  }
  return 'done';
}

/** Names of instances are unique in a tenant, whichever API they were made through; a later one gets a part of its id. */
function freeName({ instances }: Registry, { id, name, tenant }: InternalObject): string {
  const isTaken = [...instances.by('name', name)].some(row => row.tenant === tenant && row.id !== id);
  return isTaken ? `${name}-${id.slice(0, 8)}` : name;
}

async function report(
  { registry, clock }: AdoptObjectDeps,
  { object, row }: Extract<ObjectDecision, { type: 'report' }>,
): Promise<void> {
  const plan = registry.plans.get(row.spec.planId ?? '');
  if (plan === undefined) return;
  const status = adoptedStatus(object, { plan, before: row, now: clock.now() });
  await registry.commit([updateRow({ table: 'instances', row, status })]);
}

/** An ordered object may begin to take connections, or move, at any time after its creation. */
async function listen(
  { registry }: AdoptObjectDeps,
  { object, row }: Extract<ObjectDecision, { type: 'listen' }>,
): Promise<void> {
  await registry.commit([updateRow({ table: 'instances', row, status: withListening(row.status, object) })]);
}

/** What hangs on the instance goes with it. Without anything the row alone goes, which a namespace that is being deleted allows. */
async function remove({ registry }: AdoptObjectDeps, row: InstanceRow): Promise<void> {
  const { writes } = planCascade(
    registry,
    { table: 'instances', row },
    {
      isForced: true,
      correlationId: registry.newId(),
    },
  );
  const isAlone = writes.length <= 2;
  await registry.commit(isAlone ? [removeRow('instances', row)] : writes);
}
