import { notFound } from '../../errors.ts';
import { bindingTarget } from './binding-target.ts';
import { aboutBinding, forwardResponse } from './broker-response.ts';
import { forwardRequest } from './forward-request.ts';
import { openBindingOperation, openInstanceOperation, ownBinding, ownInstance } from './known-rows.ts';
import type { BindingCall, InstanceCall, OsbDeps } from './osb-call.ts';
import type { OsbResponse } from './osb-response.ts';
import { fetchReference } from './reference-instance.ts';

/** An instance as its broker shows it. One that is being made is not there yet. */
export async function fetchInstance(call: InstanceCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry } = deps;
  const instance = ownInstance(registry, call);
  if (instance?.spec.referencedInstanceId !== undefined) return fetchReference(registry, instance);
  if (openInstanceOperation(registry, call.route.instanceId)?.spec.type === 'create')
    throw notFound('service instance');
  return forwardResponse(await forwardRequest(deps, call), call.broker);
}

/**
 * A binding as its broker shows it, with its credentials. Offerings of the landscape keep no bindings: only the record
 * says whether there is one.
 */
export async function fetchBinding(call: BindingCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry } = deps;
  const instance = ownInstance(registry, call);
  const binding = ownBinding(registry, call);
  if (binding === undefined && call.broker.spec.internal !== undefined) throw notFound('service binding');
  if (openBindingOperation(registry, call.route.bindingId)?.spec.type === 'create') throw notFound('service binding');
  const { change } = bindingTarget(registry, call, instance);
  return forwardResponse(await forwardRequest(deps, call, change), call.broker, aboutBinding);
}

/** Asks the broker to put credentials into another form. */
export async function adaptCredentials(call: BindingCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry } = deps;
  const instance = ownInstance(registry, call);
  ownBinding(registry, call);
  const { change } = bindingTarget(registry, call, instance);
  return forwardResponse(await forwardRequest(deps, call, change), call.broker, aboutBinding);
}
