import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { ownPlatformId } from '../../kinds/index.ts';
import { hashParameters } from '../../model/json.ts';
import { trackProvision } from '../../model/operations/track-provision.ts';
import type { BrokerResult } from '../../model/operations/tracked-operation.ts';
import { decideProvision } from '../../model/osb/decide-repeat.ts';
import { type ProvisionRequest, readProvision } from '../../model/osb/instance-request.ts';
import type { PlanRow, PlatformRow } from '../../model/rows.ts';
import { platformOf } from '../../model/sharing/owner.ts';
import { forwardResponse, interpretResponse } from './broker-response.ts';
import { isIdTaken, notRecorded } from './commit-record.ts';
import { forwardRequest } from './forward-request.ts';
import { checkOwner, checkVisible, findCatalogPlan, openInstanceOperation } from './known-rows.ts';
import { isAtBroker, orphanedInstance } from './orphan.ts';
import type { InstanceCall, OsbDeps } from './osb-call.ts';
import { jsonResponse, type OsbResponse } from './osb-response.ts';
import { referenceTarget } from './reference-instance.ts';
import { refreshInstance } from './refresh.ts';
import { bodyChange, bodyOf } from './request-body.ts';
import { respondFromRecord } from './respond-from-record.ts';

/** A provision, read and checked. */
interface Provision {
  readonly call: InstanceCall;
  readonly deps: OsbDeps;
  readonly body: JsonObject;
  readonly request: ProvisionRequest;
  readonly plan: PlanRow;
}

/** Makes an instance at the broker and records it, or answers a repeated request from the record. */
export async function provisionInstance(call: InstanceCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry, coalescers } = deps;
  const body = bodyOf(call);
  const request = readProvision(body);
  const organizationGuid = organizationOf(call.platform, request.context);
  const known = registry.instances.get(call.route.instanceId);
  if (known !== undefined) checkOwner(known, call.platform);
  const plan = findCatalogPlan(registry, call.broker, request);
  checkVisible(registry, plan, call.platform, organizationGuid);
  const provision = { call, deps, body, request, plan };
  return coalescers.instances.run(call.route.instanceId, { creation: () => fingerprintOf(provision) }, () =>
    runExclusively(provision),
  );
}

/** Cloud Foundry grants plans by organization, so it must say for which one it asks. */
function organizationOf({ spec }: PlatformRow, context: JsonObject | undefined): unknown {
  const organizationGuid = context?.['organization_guid'];
  if (spec.type !== 'cloudfoundry') return organizationGuid;
  if (context === undefined) throw smError('BadRequest', '"context" is required', { field: 'context' });
  if (typeof organizationGuid === 'string' && organizationGuid !== '') return organizationGuid;
  const field = 'context.organization_guid';
  throw smError('BadRequest', `"${field}" is required`, { field });
}

function fingerprintOf({ plan, request }: Provision): string {
  const { organizationGuid, spaceGuid, parameters } = request;
  return JSON.stringify(['provision', plan.id, organizationGuid, spaceGuid, hashParameters(parameters)]);
}

async function runExclusively(provision: Provision): Promise<OsbResponse> {
  const recorded = await fromRecord(provision);
  if (recorded !== undefined) return recorded;
  return provision.plan.spec.isReference === true ? provisionReference(provision) : provisionAtBroker(provision);
}

function fromRecord({ call, deps, plan, request }: Provision): Promise<OsbResponse | undefined> {
  const { registry } = deps;
  const id = call.route.instanceId;
  const { acceptsIncomplete } = call;
  return respondFromRecord(
    () => {
      const instance = registry.instances.get(id);
      if (instance !== undefined) checkOwner(instance, call.platform);
      const operation = openInstanceOperation(registry, id);
      return decideProvision({ instance, operation, acceptsIncomplete }, plan, request);
    },
    async () => {
      const instance = registry.instances.get(id);
      if (instance !== undefined) await refreshInstance(call, deps, instance);
    },
  );
}

async function provisionReference(provision: Provision): Promise<OsbResponse> {
  const { deps, plan, request, call } = provision;
  const shared = referenceTarget(deps.registry, { plan, platform: call.platform, parameters: request.parameters });
  const result = { isDone: true, body: {} };
  await store(provision, result, shared.id);
  return jsonResponse(201, {});
}

async function provisionAtBroker(provision: Provision): Promise<OsbResponse> {
  const { call, deps, body, request } = provision;
  const { broker, acceptsIncomplete, route } = call;
  const response = await forwardRequest(deps, call, bodyChange(deps.signer, body, route));
  const interpreted = interpretResponse(response, { verb: 'provision', acceptsIncomplete, broker });
  if (interpreted.type === 'rejected') return forwardResponse(response, broker);
  if (interpreted.type === 'malformed') {
    if (interpreted.mitigates) deps.mitigation.remove(orphanedInstance(call, deps, request));
    throw interpreted.error;
  }
  try {
    await store(provision, interpreted.result);
  } catch (error) {
    if (isIdTaken(error) && isAtBroker(await existingInstance(provision), call, deps.registry))
      return respondWithExisting(provision);
    deps.mitigation.remove(orphanedInstance(call, deps, request));
    throw notRecorded(error);
  }
  return forwardResponse(response, broker);
}

function store({ call, deps, plan, request }: Provision, result: BrokerResult, referencedInstanceId?: string) {
  const { platform, correlationId, route } = call;
  const { registry } = deps;
  const writes = trackProvision(
    { platform, correlationId, registry },
    {
      id: route.instanceId,
      name: nameFor(deps, call, request),
      plan,
      request,
      result,
      ...(referencedInstanceId === undefined ? {} : { referencedInstanceId }),
    },
  );
  return registry.commit(writes);
}

/** What the platform calls it. Names of the own platform's instances are unique: a taken one gives way to the id. */
function nameFor({ registry }: OsbDeps, { platform, route }: InstanceCall, { context }: ProvisionRequest): string {
  const name = context?.['instance_name'];
  if (typeof name !== 'string' || name === '') return route.instanceId;
  if (platform.id !== ownPlatformId) return name;
  for (const other of registry.instances.by('name', name)) {
    if (other.tenant === platform.tenant && platformOf(other) === ownPlatformId) return route.instanceId;
  }
  return name;
}

const visibilityTimeoutMs = 2000;

/** Who else has made an instance of this id meanwhile, as soon as this process sees it. */
async function existingInstance({ call, deps }: Provision) {
  const { instances } = deps.registry;
  try {
    const { instanceId } = call.route;
    return await instances.until(instanceId, row => row !== undefined, AbortSignal.timeout(visibilityTimeoutMs));
  } catch {
    return undefined;
  }
}

/** Another process was faster with this id: what it has recorded is the answer. */
async function respondWithExisting(provision: Provision): Promise<OsbResponse> {
  const recorded = await fromRecord(provision);
  if (recorded === undefined) throw notRecorded(new Error('the instance was deleted meanwhile'));
  return recorded;
}
