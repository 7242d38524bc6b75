import { enginePaths, isInCascade } from '../../model/operations/operation-state.ts';
import type { PollEnd } from '../../model/operations/track-poll.ts';
import { classifyPoll } from '../../model/outcomes/classify-poll.ts';
import type { OsbChange } from '../../model/outcomes/osb-outcome.ts';
import type { OperationRow } from '../../model/rows.ts';
import type { BrokerResponse } from '../../ports.ts';
import { bindingTarget } from './binding-target.ts';
import { forwardResponse, nameOf, pollEndOf } from './broker-response.ts';
import { forwardRequest } from './forward-request.ts';
import {
  openBindingOperation,
  openInstanceOperation,
  openUnknownDeletion,
  ownBinding,
  ownInstance,
  type UnknownResource,
} from './known-rows.ts';
import type { BindingCall, InstanceCall, OsbCall, OsbDeps } from './osb-call.ts';
import { jsonResponse, type OsbResponse } from './osb-response.ts';
import { bindingVerbs, instanceVerbs, recordBindingEnd, recordInstanceEnd, recordUnknownEnd } from './record-end.ts';

/** Polls the broker for the last operation of an instance. An end is recorded before the platform receives it. */
export async function pollInstance(call: InstanceCall, deps: OsbDeps): Promise<OsbResponse> {
  const instance = ownInstance(deps.registry, call);
  if (instance?.spec.referencedInstanceId !== undefined) return jsonResponse(200, { state: 'succeeded' });
  const response = await forwardRequest(deps, call);
  // Looked up after the call: another process may have begun it a moment ago.
  const operation = openInstanceOperation(deps.registry, call.route.instanceId);
  const end = operation && reportedEnd(call, operation, { response, verb: instanceVerbs[operation.spec.type] });
  if (end !== undefined) await recordInstanceEnd(deps.registry, operation as OperationRow, end);
  if (instance === undefined) {
    const resource = { resourceType: enginePaths.instances, resourceId: call.route.instanceId };
    await endUnknown(call, deps, { response, verb: 'deprovision', resource });
  }
  return forwardResponse(response, call.broker);
}

/** The same for a binding. */
export async function pollBinding(call: BindingCall, deps: OsbDeps): Promise<OsbResponse> {
  const { registry } = deps;
  const instance = ownInstance(registry, call);
  const binding = ownBinding(registry, call);
  const response = await forwardRequest(deps, call, bindingTarget(registry, call, instance).change);
  const operation = openBindingOperation(registry, call.route.bindingId);
  const end = operation && reportedEnd(call, operation, { response, verb: bindingVerbs[operation.spec.type] });
  if (end !== undefined) await recordBindingEnd(registry, operation as OperationRow, end);
  if (binding === undefined) {
    const resource = { resourceType: enginePaths.bindings, resourceId: call.route.bindingId };
    await endUnknown(call, deps, { response, verb: 'unbind', resource });
  }
  return forwardResponse(response, call.broker);
}

interface UnknownPoll {
  readonly response: BrokerResponse;
  readonly verb: OsbChange;
  readonly resource: Omit<UnknownResource, 'platform'>;
}

/** Records the end of a deletion that the platform has begun without our knowing of what. */
async function endUnknown(call: OsbCall, { registry }: OsbDeps, { resource, ...poll }: UnknownPoll): Promise<void> {
  const deletion = openUnknownDeletion(registry, { ...resource, platform: call.platform });
  const end = deletion && reportedEnd(call, deletion, poll);
  if (end !== undefined) await recordUnknownEnd(registry, deletion as OperationRow, end);
}

/** How the operation that we know has ended, if the answer says so. */
function reportedEnd(
  call: OsbCall,
  operation: OperationRow,
  { response, verb }: { readonly response: BrokerResponse; readonly verb: OsbChange },
): PollEnd | undefined {
  const isGone = response.status === 404 && operation.spec.type === 'delete';
  const poll = { verb, brokerName: nameOf(call.broker), response };
  const end = isGone ? ({ type: 'succeeded' } as const) : pollEndOf(classifyPoll(poll));
  return end !== undefined && isAbout(call, operation) ? end : undefined;
}

/** Whether a poll asks for the operation that we know. A platform that names none can only mean the one there is. */
function isAbout(call: OsbCall, operation: OperationRow): boolean {
  if (isInCascade(operation)) return false;
  const asked = new URLSearchParams(call.target.query).get('operation');
  return asked === null || asked === operation.status.externalId;
}
