import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { consumerObstacle } from '../../model/operations/consumer-obstacle.ts';
import { trackBind } from '../../model/operations/track-bind.ts';
import type { BrokerResult } from '../../model/operations/tracked-operation.ts';
import { type BindRequest, readBind } from '../../model/osb/bind-request.ts';
import { decideBind } from '../../model/osb/decide-repeat.ts';
import type { InstanceRow, Registry } from '../../model/rows.ts';
import { type BindingTarget, bindingTarget, brokerNames } from './binding-target.ts';
import { aboutBinding, forwardResponse, interpretResponse } from './broker-response.ts';
import { isIdTaken, notRecorded } from './commit-record.ts';
import { forwardRequest } from './forward-request.ts';
import { openBindingOperation, ownBinding, ownInstance } from './known-rows.ts';
import { orphanedBinding } from './orphan.ts';
import type { BindingCall, OsbDeps } from './osb-call.ts';
import type { OsbResponse } from './osb-response.ts';
import { refreshBinding } from './refresh.ts';
import { bodyChange, bodyOf } from './request-body.ts';
import { respondFromRecord } from './respond-from-record.ts';

/** A bind, read and checked. */
interface Bind {
  readonly call: BindingCall;
  readonly deps: OsbDeps;
  readonly body: JsonObject;
  readonly request: BindRequest;
  /** Undefined: we have never seen it, and track nothing. */
  readonly instance: InstanceRow | undefined;
  readonly target: BindingTarget;
}

/** Makes a binding at the broker and records that there is one. Its credentials are the platform's alone. */
export async function bindInstance(call: BindingCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry, coalescers } = deps;
  const instance = ownInstance(registry, call);
  const body = bodyOf(call);
  const request = readBind(body);
  if (instance !== undefined) checkRotation(registry, request, instance);
  const bind = { call, deps, body, request, instance, target: bindingTarget(registry, call, instance) };
  return coalescers.bindings.run(call.route.bindingId, { creation: `bind ${request.hash}` }, () =>
    runExclusively(bind),
  );
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

async function runExclusively(bind: Bind): Promise<OsbResponse> {
  const recorded = await fromRecord(bind);
  if (recorded !== undefined) return recorded;
  checkConsumer(bind);
  return bindAtBroker(bind);
}

/** Throws `BadRequest` for a service account that could never be given access. What is recorded stays as it is. */
function checkConsumer({ call, request }: Bind): void {
  const obstacle = consumerObstacle(call.broker, request.bindResource);
  if (obstacle !== undefined) throw smError('BadRequest', obstacle.message, { field: obstacle.field });
}

function fromRecord({ call, deps, request, target }: Bind): Promise<OsbResponse | undefined> {
  const { registry } = deps;
  const { acceptsIncomplete, route } = call;
  return respondFromRecord(
    () => {
      const operation = openBindingOperation(registry, route.bindingId);
      return decideBind({ binding: ownBinding(registry, call), operation, acceptsIncomplete }, request.hash);
    },
    async () => {
      if (target.instance !== undefined) await refreshBinding(call, deps, target.instance);
    },
  );
}

async function bindAtBroker(bind: Bind): Promise<OsbResponse> {
  const { call, deps, body, target } = bind;
  const { broker, acceptsIncomplete, route } = call;
  const { instance, change } = target;
  const isRepeated = ownBinding(deps.registry, call) !== undefined;
  const changes = bodyChange(deps.signer, body, { instanceId: instance?.id ?? route.instanceId, ...fieldsOf(bind) });
  const response = await forwardRequest(deps, call, { ...change, ...changes });
  const interpreted = interpretResponse(response, { verb: 'bind', acceptsIncomplete, broker });
  if (interpreted.type === 'rejected') return forwardResponse(response, broker, aboutBinding);
  if (interpreted.type === 'malformed') {
    if (interpreted.mitigates) removeOrphan(bind);
    throw interpreted.error;
  }
  await store(bind, interpreted.result);
  const passed = forwardResponse(response, broker, aboutBinding);
  // Some brokers answer 201 to every bind; what exists is not created again.
  return isRepeated && passed.status === 201 ? { ...passed, status: 200 } : passed;
}

/** What the body lacks or must say otherwise. Brokers want the ids even where a predecessor implies them. */
function fieldsOf({ deps, request, target }: Bind): { readonly fields?: JsonObject } {
  if (target.fields !== undefined) return { fields: target.fields };
  if (target.instance === undefined || (request.serviceId !== undefined && request.planId !== undefined)) return {};
  const { serviceId, planId } = brokerNames(deps.registry, target.instance);
  return { fields: { service_id: serviceId, plan_id: planId } };
}

/** A binding that is known already stays as it is. */
async function store(bind: Bind, result: BrokerResult): Promise<void> {
  const { call, deps, request, instance } = bind;
  const { registry } = deps;
  const { platform, correlationId, route } = call;
  if (instance === undefined || registry.bindings.get(route.bindingId) !== undefined) return;
  const bound = { id: route.bindingId, instance, request, result };
  try {
    await registry.commit(trackBind({ platform, correlationId, registry }, bound));
  } catch (error) {
    if (isIdTaken(error) && registry.bindings.get(route.bindingId)?.status.requestHash === request.hash) return;
    removeOrphan(bind);
    throw notRecorded(error);
  }
}

function removeOrphan({ call, deps, request, target }: Bind): void {
  const { serviceId = '', planId = '' } =
    target.instance === undefined
      ? { serviceId: request.serviceId, planId: request.planId }
      : brokerNames(deps.registry, target.instance);
  const instanceId = target.instance?.id ?? call.route.instanceId;
  deps.mitigation.remove(orphanedBinding(call, deps, { serviceId, planId, instanceId }));
}
