import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { trackBind } from '../../model/operations/track-bind.ts';
import type { BrokerWord } from '../../model/operations/tracked-operation.ts';
import { type BindRequest, readBind } from '../../model/osb/bind-request.ts';
import { decideBind } from '../../model/osb/decide-repeat.ts';
import type { InstanceRow, Registry } from '../../model/rows.ts';
import { type BindingTarget, bindingTarget, brokerNames } from './binding-target.ts';
import { aboutBinding, hear, passOn } from './broker-response.ts';
import { isTaken, notRecorded } from './commit-record.ts';
import { callBroker } from './forward-request.ts';
import { openBindingOperation, ownBinding, ownInstance } from './known-rows.ts';
import { orphanedBinding } from './orphan.ts';
import type { BindingCall, OsbNeeds } from './osb-call.ts';
import type { OsbAnswer } from './osb-response.ts';
import { refreshBinding } from './refresh.ts';
import { bodyChange, bodyOf } from './request-body.ts';
import { byRecord } from './respond-from-record.ts';

/** A bind, read and checked. */
interface Bind {
  readonly call: BindingCall;
  readonly needs: OsbNeeds;
  readonly body: JsonObject;
  readonly request: BindRequest;
  /** Undefined: we have never seen it, and track nothing. */
  readonly instance: InstanceRow | undefined;
  readonly target: BindingTarget;
}

/** Makes a binding at the broker and records that there is one. Its credentials are the platform's alone. */
export async function bindInstance(call: BindingCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry, turns } = needs;
  const instance = ownInstance(registry, call);
  const body = bodyOf(call);
  const request = readBind(body);
  if (instance !== undefined) checkRotation(registry, request, instance);
  const bind = { call, needs, body, request, instance, target: bindingTarget(registry, call, instance) };
  return turns.ofBindings.run(call.route.bindingId, { creation: `bind ${request.hash}` }, () => inTurn(bind));
}

/** A successor is of the same instance, under a plan that knows successors. Throws `BadRequest`. */
function checkRotation(registry: Registry, { predecessorId }: BindRequest, instance: InstanceRow): void {
  if (predecessorId === undefined) return;
  const field = 'predecessor_binding_id';
  if (registry.plans.get(instance.spec.planId ?? '')?.spec.bindingRotatable !== true) {
    throw smError('BadRequest', 'bindings of this plan cannot be rotated', { field });
  }
  const predecessor = registry.bindings.get(predecessorId);
  if (predecessor?.spec.instanceId === instance.id && predecessor.tenant === instance.tenant) return;
  throw smError('BadRequest', `"${field}" must name a binding of the same instance`, { field });
}

async function inTurn(bind: Bind): Promise<OsbAnswer> {
  const recorded = await fromRecord(bind);
  return recorded ?? bindAtBroker(bind);
}

function fromRecord({ call, needs, request, target }: Bind): Promise<OsbAnswer | undefined> {
  const { registry } = needs;
  const { acceptsIncomplete, route } = call;
  return byRecord(
    () => {
      const operation = openBindingOperation(registry, route.bindingId);
      return decideBind({ binding: ownBinding(registry, call), operation, acceptsIncomplete }, request.hash);
    },
    async () => {
      if (target.instance !== undefined) await refreshBinding(call, needs, target.instance);
    },
  );
}

async function bindAtBroker(bind: Bind): Promise<OsbAnswer> {
  const { call, needs, body, target } = bind;
  const { broker, acceptsIncomplete, route } = call;
  const { instance, change } = target;
  const isRepeated = ownBinding(needs.registry, call) !== undefined;
  const changes = bodyChange(needs.signer, body, { instanceId: instance?.id ?? route.instanceId, ...fieldsOf(bind) });
  const answer = await callBroker(needs, call, { ...change, ...changes });
  const heard = hear(answer, { verb: 'bind', acceptsIncomplete, broker });
  if (heard.type === 'refused') return passOn(answer, broker, aboutBinding);
  if (heard.type === 'malformed') {
    if (heard.mitigates) removeOrphan(bind);
    throw heard.error;
  }
  await store(bind, heard.word);
  const passed = passOn(answer, broker, aboutBinding);
  // Some brokers answer 201 to every bind; what exists is not created again.
  return isRepeated && passed.status === 201 ? { ...passed, status: 200 } : passed;
}

/** What the body lacks or must say otherwise. Brokers want the ids even where a predecessor implies them. */
function fieldsOf({ needs, request, target }: Bind): { readonly fields?: JsonObject } {
  if (target.fields !== undefined) return { fields: target.fields };
  if (target.instance === undefined || (request.serviceId !== undefined && request.planId !== undefined)) return {};
  const { serviceId, planId } = brokerNames(needs.registry, target.instance);
  return { fields: { service_id: serviceId, plan_id: planId } };
}

/** A binding that is known already stays as it is. */
async function store(bind: Bind, word: BrokerWord): Promise<void> {
  const { call, needs, request, instance } = bind;
  const { registry } = needs;
  const { platform, correlationId, route } = call;
  if (instance === undefined || registry.bindings.get(route.bindingId) !== undefined) return;
  const bound = { id: route.bindingId, instance, request, word };
  try {
    await registry.commit(trackBind({ platform, correlationId, registry }, bound));
  } catch (error) {
    if (isTaken(error) && registry.bindings.get(route.bindingId)?.status.requestHash === request.hash) return;
    removeOrphan(bind);
    throw notRecorded(error);
  }
}

function removeOrphan({ call, needs, request, target }: Bind): void {
  const { serviceId = '', planId = '' } =
    target.instance === undefined
      ? { serviceId: request.serviceId, planId: request.planId }
      : brokerNames(needs.registry, target.instance);
  const instanceId = target.instance?.id ?? call.route.instanceId;
  needs.mitigation.remove(orphanedBinding(call, needs, { serviceId, planId, instanceId }));
}
