import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { ownPlatformId } from '../../kinds/index.ts';
import { hashParameters } from '../../model/json.ts';
import { trackProvision } from '../../model/operations/track-provision.ts';
import type { BrokerWord } from '../../model/operations/tracked-operation.ts';
import { decideProvision } from '../../model/osb/decide-repeat.ts';
import { type ProvisionRequest, readProvision } from '../../model/osb/instance-request.ts';
import type { PlanRow, PlatformRow } from '../../model/rows.ts';
import { platformOf } from '../../model/sharing/owner.ts';
import { hear, passOn } from './broker-response.ts';
import { isTaken, notRecorded } from './commit-record.ts';
import { callBroker } from './forward-request.ts';
import { checkOwner, checkVisible, findPlan, openInstanceOperation } from './known-rows.ts';
import { isAtBroker, orphanedInstance } from './orphan.ts';
import type { InstanceCall, OsbNeeds } from './osb-call.ts';
import { jsonAnswer, type OsbAnswer } from './osb-response.ts';
import { referenceTarget } from './reference-instance.ts';
import { refreshInstance } from './refresh.ts';
import { bodyChange, bodyOf } from './request-body.ts';
import { byRecord } from './respond-from-record.ts';

/** A provision, read and checked. */
interface Provision {
  readonly call: InstanceCall;
  readonly needs: OsbNeeds;
  readonly body: JsonObject;
  readonly request: ProvisionRequest;
  readonly plan: PlanRow;
}

/** Makes an instance at the broker and records it, or answers a repeated request from the record. */
export async function provisionInstance(call: InstanceCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry, turns } = needs;
  const body = bodyOf(call);
  const request = readProvision(body);
  const organizationGuid = organizationOf(call.platform, request.context);
  const known = registry.instances.get(call.route.instanceId);
  if (known !== undefined) checkOwner(known, call.platform);
  const plan = findPlan(registry, call.broker, request);
  checkVisible(registry, plan, call.platform, organizationGuid);
  const provision = { call, needs, body, request, plan };
  return turns.ofInstances.run(call.route.instanceId, { creation: () => fingerprintOf(provision) }, () =>
    inTurn(provision),
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

async function inTurn(provision: Provision): Promise<OsbAnswer> {
  const recorded = await fromRecord(provision);
  if (recorded !== undefined) return recorded;
  return provision.plan.spec.isReference === true ? provisionReference(provision) : provisionAtBroker(provision);
}

function fromRecord({ call, needs, plan, request }: Provision): Promise<OsbAnswer | undefined> {
  const { registry } = needs;
  const id = call.route.instanceId;
  const { acceptsIncomplete } = call;
  return byRecord(
    () => {
      const instance = registry.instances.get(id);
      if (instance !== undefined) checkOwner(instance, call.platform);
      const operation = openInstanceOperation(registry, id);
      return decideProvision({ instance, operation, acceptsIncomplete }, plan, request);
    },
    async () => {
      const instance = registry.instances.get(id);
      if (instance !== undefined) await refreshInstance(call, needs, instance);
    },
  );
}

async function provisionReference(provision: Provision): Promise<OsbAnswer> {
  const { needs, plan, request, call } = provision;
  const shared = referenceTarget(needs.registry, { plan, platform: call.platform, parameters: request.parameters });
  const word = { isDone: true, body: {} };
  await store(provision, word, shared.id);
  return jsonAnswer(201, {});
}

async function provisionAtBroker(provision: Provision): Promise<OsbAnswer> {
  const { call, needs, body, request } = provision;
  const { broker, acceptsIncomplete, route } = call;
  const answer = await callBroker(needs, call, bodyChange(needs.signer, body, route));
  const heard = hear(answer, { verb: 'provision', acceptsIncomplete, broker });
  if (heard.type === 'refused') return passOn(answer, broker);
  if (heard.type === 'malformed') {
    if (heard.mitigates) needs.mitigation.remove(orphanedInstance(call, needs, request));
    throw heard.error;
  }
  try {
    await store(provision, heard.word);
  } catch (error) {
    if (isTaken(error) && isAtBroker(await takenBy(provision), call, needs.registry)) return sameAgain(provision);
    needs.mitigation.remove(orphanedInstance(call, needs, request));
    throw notRecorded(error);
  }
  return passOn(answer, broker);
}

function store({ call, needs, plan, request }: Provision, word: BrokerWord, referencedInstanceId?: string) {
  const { platform, correlationId, route } = call;
  const { registry } = needs;
  const writes = trackProvision(
    { platform, correlationId, registry },
    {
      id: route.instanceId,
      name: nameFor(needs, call, request),
      plan,
      request,
      word,
      ...(referencedInstanceId !== undefined && { referencedInstanceId }),
    },
  );
  return registry.commit(writes);
}

/** What the platform calls it. Names of the own platform's instances are unique: a taken one gives way to the id. */
function nameFor({ registry }: OsbNeeds, { platform, route }: InstanceCall, { context }: ProvisionRequest): string {
  const name = context?.['instance_name'];
  if (typeof name !== 'string' || name === '') return route.instanceId;
  if (platform.id !== ownPlatformId) return name;
  for (const other of registry.instances.by('name', name)) {
    if (other.tenant === platform.tenant && platformOf(other) === ownPlatformId) return route.instanceId;
  }
  return name;
}

const seenWithinMs = 2000;

/** Who else has made an instance of this id meanwhile, as soon as this process sees it. */
async function takenBy({ call, needs }: Provision) {
  const { instances } = needs.registry;
  try {
    const { instanceId } = call.route;
    return await instances.until(instanceId, row => row !== undefined, AbortSignal.timeout(seenWithinMs));
  } catch {
    return undefined;
  }
}

/** Another process was faster with this id: what it has recorded is the answer. */
async function sameAgain(provision: Provision): Promise<OsbAnswer> {
  const recorded = await fromRecord(provision);
  if (recorded === undefined) throw notRecorded(new Error('the instance has gone again'));
  return recorded;
}
