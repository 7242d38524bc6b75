import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { trackUnusable } from '../../model/operations/track-unusable.ts';
import { trackUpdate } from '../../model/operations/track-update.ts';
import type { BrokerWord } from '../../model/operations/tracked-operation.ts';
import { decideUpdate } from '../../model/osb/decide-repeat.ts';
import { readUpdate, type UpdateRequest } from '../../model/osb/instance-request.ts';
import type { InstanceRow, PlanRow } from '../../model/rows.ts';
import { isShareable } from '../../model/sharing/shareable.ts';
import { brokerNames } from './binding-target.ts';
import { hear, passOn } from './broker-response.ts';
import { record } from './commit-record.ts';
import { callBroker } from './forward-request.ts';
import { checkService, checkVisible, findPlan, openInstanceOperation, ownInstance } from './known-rows.ts';
import type { InstanceCall, OsbNeeds } from './osb-call.ts';
import { jsonAnswer, type OsbAnswer } from './osb-response.ts';
import { checkReferenceUpdate } from './reference-instance.ts';
import { refreshInstance } from './refresh.ts';
import { bodyChange, bodyOf } from './request-body.ts';
import { byRecord } from './respond-from-record.ts';

/** An update, read. */
interface Update {
  readonly call: InstanceCall;
  readonly needs: OsbNeeds;
  readonly body: JsonObject;
  readonly request: UpdateRequest;
  /** The plan that is asked for; undefined: it stays. */
  readonly plan: PlanRow | undefined;
}

/** Changes an instance at the broker and records it. */
export async function updateInstance(call: InstanceCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry, turns } = needs;
  const instance = ownInstance(registry, call);
  const body = bodyOf(call);
  const request = readUpdate(body);
  const plan = askedPlan(needs, call, request);
  checkPlanChange({ call, needs, body, request, plan }, instance);
  const { instanceId } = call.route;
  return turns.ofInstances.run(instanceId, `update ${request.hash}`, () =>
    inTurn({ call, needs, body, request, plan }),
  );
}

function askedPlan({ registry }: OsbNeeds, { broker }: InstanceCall, request: UpdateRequest): PlanRow | undefined {
  const { serviceId, planId } = request;
  if (planId !== undefined) return findPlan(registry, broker, { serviceId, planId });
  checkService(registry, broker, serviceId);
  return undefined;
}

/** An update that keeps the plan is not checked: what one has, one may keep. */
function checkPlanChange({ call, needs, request, plan }: Update, instance: InstanceRow | undefined): void {
  const { registry } = needs;
  if (instance !== undefined && brokerNames(registry, instance).serviceId !== request.serviceId) {
    throw smError('BadRequest', 'the service of an instance cannot be changed', { field: 'service_id' });
  }
  if (instance?.spec.referencedInstanceId !== undefined) return checkReferenceUpdate(plan, instance, request);
  if (plan === undefined || keepsPlan(plan, instance, request)) return;
  if (plan.spec.isReference === true) {
    throw smError('BadRequest', 'an instance cannot become a reference to another', { field: 'plan_id' });
  }
  checkVisible(registry, plan, call.platform, request.context?.['organization_guid'] ?? organizationOf(instance));
  if (instance?.spec.shared !== true || isShareable(plan)) return;
  throw smError('BadRequest', 'a shared instance can only change to a plan that can be shared', { field: 'plan_id' });
}

const keepsPlan = (plan: PlanRow, instance: InstanceRow | undefined, { previousPlanId }: UpdateRequest): boolean =>
  instance === undefined ? plan.spec.catalogId === previousPlanId : plan.id === instance.spec.planId;

/** On Cloud Foundry an update need not repeat the context in which the instance was made. */
const organizationOf = (instance: InstanceRow | undefined): unknown =>
  (instance?.status.context as JsonObject | undefined)?.['organization_guid'];

async function inTurn(update: Update): Promise<OsbAnswer> {
  const { call, needs } = update;
  const instance = ownInstance(needs.registry, call);
  const recorded = instance === undefined ? undefined : await fromRecord(update, instance);
  if (recorded !== undefined) return recorded;
  if (instance?.spec.referencedInstanceId === undefined) return updateAtBroker(update);
  await store(update, { isDone: true, body: {} });
  return jsonAnswer(200, {});
}

function fromRecord({ call, needs, request }: Update, known: InstanceRow): Promise<OsbAnswer | undefined> {
  const { registry } = needs;
  const { acceptsIncomplete } = call;
  return byRecord(
    () => {
      const instance = registry.instances.get(known.id) ?? known;
      const operation = openInstanceOperation(registry, known.id);
      return decideUpdate({ instance, operation, acceptsIncomplete }, request.hash);
    },
    () => refreshInstance(call, needs, known),
  );
}

async function updateAtBroker(update: Update): Promise<OsbAnswer> {
  const { call, needs, body } = update;
  const { broker, acceptsIncomplete, route } = call;
  const answer = await callBroker(needs, call, bodyChange(needs.signer, body, route));
  const heard = hear(answer, { verb: 'update', acceptsIncomplete, broker });
  if (heard.type === 'malformed') throw heard.error;
  if (heard.type === 'word') await store(update, heard.word);
  else if (heard.isSpoilt) await storeSpoilt(needs, route.instanceId);
  return passOn(answer, broker);
}

/** The row is read again: it may have changed while the broker was at work. */
function store({ call, needs, request, plan }: Update, word: BrokerWord): Promise<void> {
  const { platform, correlationId, route } = call;
  const { registry } = needs;
  return record(registry, () => {
    const instance = registry.instances.get(route.instanceId);
    if (instance === undefined) return [];
    return trackUpdate({ platform, correlationId, registry }, { instance, plan, request, word });
  });
}

/** A refusal changes nothing, except that a broker may say that it has spoilt the instance. */
export function storeSpoilt({ registry }: OsbNeeds, id: string): Promise<void> {
  return record(registry, () => {
    const instance = registry.instances.get(id);
    return instance === undefined || instance.status.usable === false ? [] : [trackUnusable(instance)];
  });
}
