import { enginePaths, isInCascade } from '../../model/operations/operation-state.ts';
import type { PollEnd } from '../../model/operations/track-poll.ts';
import { classifyPoll } from '../../model/osb/classify-poll.ts';
import type { OsbChange } from '../../model/osb/osb-outcome.ts';
import type { OperationRow } from '../../model/rows.ts';
import type { BrokerAnswer } from '../../ports.ts';
import { bindingTarget } from './binding-target.ts';
import { endOf, nameOf, passOn } from './broker-response.ts';
import { callBroker } from './forward-request.ts';
import {
  openBindingOperation,
  openInstanceOperation,
  openUnknownDeletion,
  ownBinding,
  ownInstance,
  type UnknownResource,
} from './known-rows.ts';
import type { BindingCall, InstanceCall, OsbCall, OsbNeeds } from './osb-call.ts';
import { jsonAnswer, type OsbAnswer } from './osb-response.ts';
import { bindingVerbs, instanceVerbs, recordBindingEnd, recordInstanceEnd, recordUnknownEnd } from './record-end.ts';

/** The broker's word on an instance. An end is recorded before the platform hears of it. */
export async function pollInstance(call: InstanceCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const instance = ownInstance(needs.registry, call);
  if (instance?.spec.referencedInstanceId !== undefined) return jsonAnswer(200, { state: 'succeeded' });
  const answer = await callBroker(needs, call);
  // Looked up after the call: another process may have begun it a moment ago.
  const operation = openInstanceOperation(needs.registry, call.route.instanceId);
  const end = operation && endSaid(call, operation, { answer, verb: instanceVerbs[operation.spec.type] });
  if (end !== undefined) await recordInstanceEnd(needs.registry, operation as OperationRow, end);
  if (instance === undefined) {
    const resource = { resourceType: enginePaths.instances, resourceId: call.route.instanceId };
    await endUnknown(call, needs, { answer, verb: 'deprovision', resource });
  }
  return passOn(answer, call.broker);
}

/** The same for a binding. */
export async function pollBinding(call: BindingCall, needs: OsbNeeds): Promise<OsbAnswer> {
  const { registry } = needs;
  const instance = ownInstance(registry, call);
  const binding = ownBinding(registry, call);
  const answer = await callBroker(needs, call, bindingTarget(registry, call, instance).change);
  const operation = openBindingOperation(registry, call.route.bindingId);
  const end = operation && endSaid(call, operation, { answer, verb: bindingVerbs[operation.spec.type] });
  if (end !== undefined) await recordBindingEnd(registry, operation as OperationRow, end);
  if (binding === undefined) {
    const resource = { resourceType: enginePaths.bindings, resourceId: call.route.bindingId };
    await endUnknown(call, needs, { answer, verb: 'unbind', resource });
  }
  return passOn(answer, call.broker);
}

interface UnknownPoll {
  readonly answer: BrokerAnswer;
  readonly verb: OsbChange;
  readonly resource: Omit<UnknownResource, 'platform'>;
}

/** Records the end of a deletion that the platform has begun without our knowing of what. */
async function endUnknown(call: OsbCall, { registry }: OsbNeeds, { resource, ...poll }: UnknownPoll): Promise<void> {
  const deletion = openUnknownDeletion(registry, { ...resource, platform: call.platform });
  const end = deletion && endSaid(call, deletion, poll);
  if (end !== undefined) await recordUnknownEnd(registry, deletion as OperationRow, end);
}

/** How the operation that we know has ended, if the answer says so. */
function endSaid(
  call: OsbCall,
  operation: OperationRow,
  { answer, verb }: { readonly answer: BrokerAnswer; readonly verb: OsbChange },
): PollEnd | undefined {
  const isGone = answer.status === 404 && operation.spec.type === 'delete';
  const poll = { verb, brokerName: nameOf(call.broker), answer };
  const end = isGone ? ({ type: 'succeeded' } as const) : endOf(classifyPoll(poll));
  return end !== undefined && isAbout(call, operation) ? end : undefined;
}

/** Whether a poll asks for the operation that we know. A platform that names none can only mean the one there is. */
function isAbout(call: OsbCall, operation: OperationRow): boolean {
  if (isInCascade(operation)) return false;
  const asked = new URLSearchParams(call.target.query).get('operation');
  return asked === null || asked === operation.status.externalId;
}
