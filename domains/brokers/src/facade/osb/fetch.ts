import { notFound } from '../../errors.ts';
import { bindingTarget } from './binding-target.ts';
import { aboutBinding, passOn } from './broker-response.ts';
import { callBroker } from './forward-request.ts';
import { openBindingOperation, openInstanceOperation, ownBinding, ownInstance } from './known-rows.ts';
import type { BindingCall, InstanceCall, OsbNeeds } from './osb-call.ts';
import type { OsbAnswer } from './osb-response.ts';
import { fetchReference } from './reference-instance.ts';

/** An instance as its broker shows it. One that is being made is not there yet. */
export async function fetchInstance(call: InstanceCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry } = needs;
  const instance = ownInstance(registry, call);
  if (instance?.spec.referencedInstanceId !== undefined) return fetchReference(registry, instance);
  if (openInstanceOperation(registry, call.route.instanceId)?.spec.type === 'create')
    throw notFound('service instance');
  return passOn(await callBroker(needs, call), call.broker);
}

/** A binding as its broker shows it, with its credentials. */
export async function fetchBinding(call: BindingCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry } = needs;
  const instance = ownInstance(registry, call);
  ownBinding(registry, call);
  if (openBindingOperation(registry, call.route.bindingId)?.spec.type === 'create') throw notFound('service binding');
  const { change } = bindingTarget(registry, call, instance);
  return passOn(await callBroker(needs, call, change), call.broker, aboutBinding);
}

/** Asks the broker to put credentials into another form. */
export async function adaptCredentials(call: BindingCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry } = needs;
  const instance = ownInstance(registry, call);
  ownBinding(registry, call);
  const { change } = bindingTarget(registry, call, instance);
  return passOn(await callBroker(needs, call, change), call.broker, aboutBinding);
}
