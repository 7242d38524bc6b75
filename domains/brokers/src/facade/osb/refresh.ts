import { ownPlatformId } from '../../kinds/index.ts';
import { isInCascade } from '../../model/operations/operation-state.ts';
import type { InstanceRow, OperationRow } from '../../model/rows.ts';
import { createOsbClient, type OsbClient } from '../../osb-client/osb-client.ts';
import { brokerNames } from './binding-target.ts';
import { pollEndOf } from './broker-response.ts';
import { openBindingOperation, openInstanceOperation } from './known-rows.ts';
import type { BindingCall, InstanceCall, OsbCall, OsbDeps } from './osb-call.ts';
import { bindingVerbs, instanceVerbs, recordBindingEnd, recordInstanceEnd } from './record-end.ts';

/** Polls the broker for the operation that is recorded as in progress for an instance, and records its end. */
export async function refreshInstance(call: InstanceCall, deps: OsbDeps, instance: InstanceRow): Promise<void> {
  const { registry } = deps;
  const operation = openInstanceOperation(registry, instance.id);
  if (operation === undefined || isEnginesOwn(operation)) return;
  const client = await clientFor(call, deps);
  const verb = instanceVerbs[operation.spec.type];
  const outcome = await client.pollInstance({ instanceId: instance.id, verb, ...poll(deps, instance, operation) });
  const end = pollEndOf(outcome);
  if (end !== undefined) await recordInstanceEnd(registry, operation, end);
}

/** The same for a binding. `instance`: the one that the broker knows. */
export async function refreshBinding(call: BindingCall, deps: OsbDeps, instance: InstanceRow): Promise<void> {
  const { registry } = deps;
  const { bindingId } = call.route;
  const operation = openBindingOperation(registry, bindingId);
  if (operation === undefined || isEnginesOwn(operation)) return;
  const client = await clientFor(call, deps);
  const ids = { instanceId: instance.id, bindingId };
  const verb = bindingVerbs[operation.spec.type];
  const end = pollEndOf(await client.pollBinding({ ...ids, verb, ...poll(deps, instance, operation) }));
  if (end !== undefined) await recordBindingEnd(registry, operation, end);
}

/** The service manager follows its own operations by itself. */
const isEnginesOwn = (operation: OperationRow): boolean =>
  isInCascade(operation) || operation.spec.platformId === ownPlatformId;

async function clientFor({ broker, correlationId, platform }: OsbCall, deps: OsbDeps): Promise<OsbClient> {
  const caller = { tenant: platform.tenant, platformId: platform.id };
  return createOsbClient(await deps.connections.of(broker), { broker, correlationId, caller });
}

function poll({ registry }: OsbDeps, instance: InstanceRow, { status }: OperationRow) {
  const { serviceId, planId } = brokerNames(registry, instance);
  const { externalId } = status;
  return { service_id: serviceId, plan_id: planId, ...(externalId === undefined ? {} : { operation: externalId }) };
}
