import type { JsonObject } from '@chandlery/api';
import { SmError, smError } from '../../../../errors.ts';
import { ownPlatformId } from '../../../../kinds/index.ts';
import { isJsonObject } from '../../../../model/json.ts';
import { type Labels, parseLabels } from '../../../../model/query/labels.ts';
import { optionalObject, optionalText, requiredName, requiredText } from '../../../../model/resources/body-fields.ts';
import { checkRow, createRow, type Registry } from '../../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import { fetchFromBroker } from '../../shared/fetch-from-broker.ts';
import { findUsablePlan, readWantedPlan } from '../../shared/find-plan.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import { resourcePaths } from '../../shared/order-operation.ts';
import { checkInstanceName } from '../../shared/unique-name.ts';
import { type CatalogPlace, catalogPlaceOfPlan } from './check-change.ts';

/** What a body asks for. */
interface ImportedInstance {
  readonly id: string;
  readonly name: string;
  readonly platformId: string;
  readonly labels: Labels;
  readonly context?: JsonObject;
}

/**
 * Imports an instance that its broker already has; nothing is provisioned. If the broker supports fetching instances,
 * it must know this one. Only for operators: others could claim instances by guessing ids.
 */
export async function importInstance(deps: InstanceDeps, request: SmRequest): Promise<SmResponse> {
  if (request.caller.type !== 'operator') throw smError('Forbidden', 'only the operator may import instances');
  const wanted = readImport(request.body, deps);
  const plan = findUsablePlan(deps, readWantedPlan(request.body), request);
  if (plan.spec.isReference === true) throw smError('BadRequest', 'references cannot be imported');
  checkUnknown(deps.registry, wanted, request.tenant);
  const place = catalogPlaceOfPlan(deps.registry, plan);
  const found = await askBroker(deps, request, { place, instanceId: wanted.id });
  const subject = { type: 'create', resourceType: resourcePaths.instances, resourceId: wanted.id } as const;
  await deps.registry.commit([
    createRow({ table: 'instances', ...rowOf(wanted, { place, found, tenant: request.tenant }) }),
    checkRow('plans', plan),
    operationRecord(deps.registry, request, subject).write,
  ]);
  return { type: 'row', id: wanted.id };
}

function readImport(body: JsonObject, { registry, settings }: InstanceDeps): ImportedInstance {
  const id = requiredText(body, 'id');
  if (!/^[A-Za-z0-9._~-]{1,100}$/.test(id)) {
    throw smError('BadRequest', `${id.slice(0, 100)} contains invalid character(s)`, { field: 'id' });
  }
  const platformId = optionalText(body, 'platform_id') ?? ownPlatformId;
  if (platformId !== ownPlatformId && registry.platforms.get(platformId) === undefined) {
    throw smError('BadRequest', `there is no platform ${platformId}`, { field: 'platform_id' });
  }
  const context = optionalObject(body, 'context');
  const labels = parseLabels(body['labels'], settings.protectedLabels);
  return { id, name: requiredName(body), platformId, labels, ...(context === undefined ? {} : { context }) };
}

function checkUnknown(registry: Registry, { id, name, platformId }: ImportedInstance, tenant: string): void {
  if (registry.instances.get(id) !== undefined) {
    throw smError('Conflict', 'found conflicting service instance', { ids: [id], field: 'id' });
  }
  if (platformId === ownPlatformId) checkInstanceName(registry, name, { tenant });
}

/** What the broker says of it; nothing where brokers cannot be asked. */
async function askBroker(
  deps: InstanceDeps,
  request: SmRequest,
  target: { readonly place: CatalogPlace; readonly instanceId: string },
): Promise<JsonObject> {
  if (target.place.offering.spec.instancesRetrievable !== true) return {};
  try {
    return await fetchFromBroker(deps, request, target);
  } catch (error) {
    throw isUnknown(error) ? smError('NotFound', `the broker has no service instance ${target.instanceId}`) : error;
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof SmError && (error.facts.brokerStatus === 404 || error.facts.brokerStatus === 410);
}

function rowOf(
  { id, name, platformId, labels, context }: ImportedInstance,
  { place, found, tenant }: { readonly place: CatalogPlace; readonly found: JsonObject; readonly tenant: string },
) {
  const { dashboard_url: dashboardUrl, maintenance_info: maintenanceInfo } = found;
  return {
    id,
    tenant,
    spec: {
      name,
      planId: place.plan.id,
      platformId,
      ...(isJsonObject(maintenanceInfo) && { maintenanceInfo }),
      ...(Object.keys(labels).length > 0 && { labels: labels as Record<string, string[]> }),
    },
    status: {
      ready: true,
      usable: true,
      observedGeneration: 1,
      planId: place.plan.id,
      ...(context === undefined ? {} : { context }),
      ...(typeof dashboardUrl === 'string' && { dashboardUrl }),
    },
  };
}
