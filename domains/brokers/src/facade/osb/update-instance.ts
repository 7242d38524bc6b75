import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { supportsSharing } from '../../model/catalog/catalog.ts';
import { trackUnusable, trackUpdate } from '../../model/operations/track-update.ts';
import type { BrokerResult } from '../../model/operations/tracked-operation.ts';
import { decideUpdate } from '../../model/osb/decide-repeat.ts';
import { readUpdate, type UpdateRequest } from '../../model/osb/instance-request.ts';
import type { InstanceRow, PlanRow } from '../../model/rows.ts';
import { brokerNames } from './binding-target.ts';
import { forwardResponse, interpretResponse } from './broker-response.ts';
import { commitRecord } from './commit-record.ts';
import { forwardRequest } from './forward-request.ts';
import { checkService, checkVisible, findCatalogPlan, openInstanceOperation, ownInstance } from './known-rows.ts';
import type { InstanceCall, OsbDeps } from './osb-call.ts';
import { jsonResponse, type OsbResponse } from './osb-response.ts';
import { checkReferenceUpdate } from './reference-instance.ts';
import { refreshInstance } from './refresh.ts';
import { bodyChange, bodyOf } from './request-body.ts';
import { respondFromRecord } from './respond-from-record.ts';

/** An update, read. */
interface Update {
  readonly call: InstanceCall;
  readonly deps: OsbDeps;
  readonly body: JsonObject;
  readonly request: UpdateRequest;
  /** The plan that is asked for; undefined: it stays. */
  readonly plan: PlanRow | undefined;
}

/** Changes an instance at the broker and records it. */
export async function updateInstance(call: InstanceCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry, coalescers } = deps;
  const instance = ownInstance(registry, call);
  const body = bodyOf(call);
  const request = readUpdate(body);
  const plan = askedPlan(deps, call, request);
  checkPlanChange({ call, deps, body, request, plan }, instance);
  const { instanceId } = call.route;
  return coalescers.instances.run(instanceId, `update ${request.hash}`, () =>
    runExclusively({ call, deps, body, request, plan }),
  );
}

function askedPlan({ registry }: OsbDeps, { broker }: InstanceCall, request: UpdateRequest): PlanRow | undefined {
  const { serviceId, planId } = request;
  if (planId !== undefined) return findCatalogPlan(registry, broker, { serviceId, planId });
  checkService(registry, broker, serviceId);
  return undefined;
}

/** An update that keeps the plan is not checked: what one has, one may keep. */
function checkPlanChange({ call, deps, request, plan }: Update, instance: InstanceRow | undefined): void {
  const { registry } = deps;
  if (instance !== undefined && brokerNames(registry, instance).serviceId !== request.serviceId) {
    throw smError('BadRequest', 'the service of an instance cannot be changed', { field: 'service_id' });
  }
  if (instance?.spec.referencedInstanceId !== undefined) return checkReferenceUpdate(plan, instance, request);
  if (plan === undefined || keepsPlan(plan, instance, request)) return;
  if (plan.spec.isReference === true) {
    throw smError('BadRequest', 'an instance cannot become a reference to another', { field: 'plan_id' });
  }
  checkVisible(registry, plan, call.platform, request.context?.['organization_guid'] ?? organizationOf(instance));
  if (instance?.spec.shared !== true || supportsSharing(plan.spec)) return;
  throw smError('BadRequest', 'a shared instance can only change to a plan that can be shared', { field: 'plan_id' });
}

const keepsPlan = (plan: PlanRow, instance: InstanceRow | undefined, { previousPlanId }: UpdateRequest): boolean =>
  instance === undefined ? plan.spec.catalogId === previousPlanId : plan.id === instance.spec.planId;

/** On Cloud Foundry an update need not repeat the context in which the instance was made. */
const organizationOf = (instance: InstanceRow | undefined): unknown =>
  (instance?.status.context as JsonObject | undefined)?.['organization_guid'];

async function runExclusively(update: Update): Promise<OsbResponse> {
  const { call, deps } = update;
  const instance = ownInstance(deps.registry, call);
  const recorded = instance === undefined ? undefined : await fromRecord(update, instance);
  if (recorded !== undefined) return recorded;
  if (instance?.spec.referencedInstanceId === undefined) return updateAtBroker(update);
  await store(update, { isDone: true, body: {} });
  return jsonResponse(200, {});
}

function fromRecord({ call, deps, request }: Update, known: InstanceRow): Promise<OsbResponse | undefined> {
  const { registry } = deps;
  const { acceptsIncomplete } = call;
  return respondFromRecord(
    () => {
      const instance = registry.instances.get(known.id) ?? known;
      const operation = openInstanceOperation(registry, known.id);
      return decideUpdate({ instance, operation, acceptsIncomplete }, request.hash);
    },
    () => refreshInstance(call, deps, known),
  );
}

async function updateAtBroker(update: Update): Promise<OsbResponse> {
  const { call, deps, body } = update;
  const { broker, acceptsIncomplete, route } = call;
  const response = await forwardRequest(deps, call, bodyChange(deps.signer, body, route));
  const interpreted = interpretResponse(response, { verb: 'update', acceptsIncomplete, broker });
  if (interpreted.type === 'malformed') throw interpreted.error;
  if (interpreted.type === 'result') await store(update, interpreted.result);
  else if (interpreted.isUnusable) await storeUnusable(deps, route.instanceId);
  return forwardResponse(response, broker);
}

/** The row is read again: it may have changed while the broker was at work. */
function store({ call, deps, request, plan }: Update, result: BrokerResult): Promise<void> {
  const { platform, correlationId, route } = call;
  const { registry } = deps;
  return commitRecord(registry, () => {
    const instance = registry.instances.get(route.instanceId);
    if (instance === undefined) return [];
    return trackUpdate({ platform, correlationId, registry }, { instance, plan, request, result });
  });
}

/** A refusal changes nothing, except that a broker may say that it has spoilt the instance. */
export function storeUnusable({ registry }: OsbDeps, id: string): Promise<void> {
  return commitRecord(registry, () => {
    const instance = registry.instances.get(id);
    return instance === undefined || instance.status.usable === false ? [] : [trackUnusable(instance)];
  });
}
