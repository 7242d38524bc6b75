import type { JsonObject } from '@chandlery/api';
import { smError } from '../../../../errors.ts';
import { ownPlatformId } from '../../../../kinds/index.ts';
import type { WantedPlan } from '../../../../model/catalog/choose-plan.ts';
import { type Labels, parseLabels } from '../../../../model/query/labels.ts';
import { optionalObject, optionalText, rejectFields, requiredName } from '../../../../model/resources/body-fields.ts';
import { checkRow, createRow, type PlanRow, touchRow } from '../../../../model/rows.ts';
import { resolveReference } from '../../../../model/sharing/resolve-reference.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import { findUsablePlan, readWantedPlan } from '../../shared/find-plan.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import { orderOperation, resourcePaths } from '../../shared/order-operation.ts';
import { respondByMode, respondDone } from '../../shared/respond-by-mode.ts';
import { checkInstanceName } from '../../shared/unique-name.ts';

/** What a body asks for. */
interface NewInstance {
  readonly name: string;
  readonly plan: WantedPlan;
  readonly parameters?: JsonObject;
  readonly maintenanceInfo?: JsonObject;
  readonly labels: Labels;
}

interface Created {
  readonly operationId: string;
  readonly resourceId: string;
  /** No broker has to be asked. */
  readonly isDone: boolean;
}

/** Makes an instance of the own platform: the row and its operation at once, the rest is the operation engine's. */
export async function createInstance(deps: InstanceDeps, request: SmRequest): Promise<SmResponse> {
  const wanted = readNewInstance(request.body, deps);
  const created = await commitInstance(deps, request, wanted);
  const begun = { ...created, done: { type: 'row', id: created.resourceId } } as const;
  return created.isDone ? respondDone(request, begun) : respondByMode(deps.registry, request, begun);
}

function readNewInstance(body: JsonObject, { settings }: InstanceDeps): NewInstance {
  rejectFields(body, ['id', 'shared', 'referenced_instance_id']);
  const platformId = optionalText(body, 'platform_id') ?? ownPlatformId;
  if (platformId !== ownPlatformId) {
    throw smError('InvalidTransfer', `instances can only be made on platform ${ownPlatformId} here`, {
      field: 'platform_id',
    });
  }
  const parameters = optionalObject(body, 'parameters');
  const maintenanceInfo = optionalObject(body, 'maintenance_info');
  return {
    name: requiredName(body),
    plan: readWantedPlan(body),
    labels: parseLabels(body['labels'], settings.protectedLabels),
    ...(parameters === undefined ? {} : { parameters }),
    ...(maintenanceInfo === undefined ? {} : { maintenanceInfo }),
  };
}

async function commitInstance(deps: InstanceDeps, request: SmRequest, wanted: NewInstance): Promise<Created> {
  const plan = findUsablePlan(deps, wanted.plan, request);
  checkInstanceName(deps.registry, wanted.name, { tenant: request.tenant });
  return plan.spec.isReference === true
    ? commitReference(deps, request, { wanted, plan })
    : commitOrder(deps, request, { wanted, plan });
}

interface Chosen {
  readonly wanted: NewInstance;
  readonly plan: PlanRow;
}

async function commitOrder({ registry }: InstanceDeps, request: SmRequest, chosen: Chosen): Promise<Created> {
  const { wanted, plan } = chosen;
  const id = registry.newId();
  const { tenant } = request;
  const { parameters } = wanted;
  const order = { type: 'create', table: 'instances', resourceId: id, tenant } as const;
  const operation = orderOperation(registry, request, {
    ...order,
    ...(parameters === undefined ? {} : { parameters }),
  });
  await registry.commit([
    createRow({ table: 'instances', id, tenant, spec: specOf(chosen), status: { ready: false, usable: false } }),
    // A plan that vanishes meanwhile has no new instances.
    checkRow('plans', plan),
    ...operation.writes,
  ]);
  return { operationId: operation.id, resourceId: id, isDone: false };
}

/** A reference needs only its row: no broker is called. */
async function commitReference({ registry }: InstanceDeps, request: SmRequest, chosen: Chosen): Promise<Created> {
  const { wanted, plan } = chosen;
  const { tenant } = request;
  const { offeringId } = plan.spec;
  const shared = resolveReference(registry, { offeringId, tenant, parameters: wanted.parameters, by: 'name' });
  const id = registry.newId();
  const resourceType = resourcePaths.instances;
  const operation = operationRecord(registry, request, { type: 'create', resourceType, resourceId: id, tenant });
  const spec = { ...specOf(chosen), referencedInstanceId: shared.id };
  const context = { platform: ownPlatformId, instance_name: wanted.name, tenant };
  await registry.commit([
    createRow({ table: 'instances', id, tenant, spec, status: { ...complete, context } }),
    // Touched as well, so that a concurrent request cannot stop sharing it.
    touchRow('instances', shared),
    operation.write,
  ]);
  return { operationId: operation.id, resourceId: id, isDone: true };
}

/** Like anything that is made here: changes by kubectl are seen from the next generation on. */
const complete = { ready: true, usable: true, observedGeneration: 1 };

const specOf = ({ wanted, plan }: Chosen) => ({
  name: wanted.name,
  planId: plan.id,
  platformId: ownPlatformId,
  ...(wanted.maintenanceInfo === undefined ? {} : { maintenanceInfo: wanted.maintenanceInfo }),
  ...(Object.keys(wanted.labels).length > 0 && { labels: mutable(wanted.labels) }),
});

const mutable = (labels: Labels): Record<string, string[]> => labels as Record<string, string[]>;
