import type { JsonObject } from '@chandlery/api';
import { ownPlatformId } from '../../kinds/index.ts';
import { bindBody, catalogIds, provisionBody, updateBody } from '../../model/operations/broker-requests.ts';
import { changeOf } from '../../model/operations/operation-end.ts';
import { isUnderMitigation } from '../../model/operations/operation-state.ts';
import { originatingIdentity } from '../../model/osb/context-signature.ts';
import type { OsbOutcome } from '../../model/outcomes/osb-outcome.ts';
import type { OperationRow } from '../../model/rows.ts';
import { clientFor, withoutQuote } from './broker-client.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { BrokerResource } from './find-target.ts';
import type { Sent } from './next-step-writes.ts';

/** Asks the broker for what the operation wants. */
export async function sendToBroker(
  deps: EngineDeps,
  operation: OperationRow,
  { target, sent }: { readonly target: BrokerResource; readonly sent: Sent },
): Promise<OsbOutcome> {
  switch (operation.spec.type) {
    case 'create':
      return target.binding === undefined
        ? provision(deps, operation, { target, sent })
        : bind(deps, operation, { target, sent });
    case 'update':
      return update(deps, operation, { target, sent });
    case 'delete':
      return deleteAtBroker(deps, operation, target);
  }
}

/** Asks the broker to delete the resource. */
export async function deleteAtBroker(
  deps: EngineDeps,
  operation: OperationRow,
  target: BrokerResource,
): Promise<OsbOutcome> {
  const { binding, known } = target;
  const client = await clientFor(deps, operation, target);
  const request = { instanceId: known.instance.id, ...catalogIds(known), ...identityOf(operation) };
  if (binding === undefined) return client.deprovision({ ...request, acceptsIncomplete: true });
  return client.unbind({ ...request, bindingId: binding.id, acceptsIncomplete: canBindLater(target) });
}

async function provision(
  deps: EngineDeps,
  operation: OperationRow,
  { target, sent }: { readonly target: BrokerResource; readonly sent: Sent },
): Promise<OsbOutcome> {
  const client = await clientFor(deps, operation, target);
  const body = provisionBody(target.known, signed(deps, target, sent), sent.parameters);
  return client.provision({ instanceId: target.row.id, acceptsIncomplete: true, body, ...identityOf(operation) });
}

async function update(
  deps: EngineDeps,
  operation: OperationRow,
  { target, sent }: { readonly target: BrokerResource; readonly sent: Sent },
): Promise<OsbOutcome> {
  const client = await clientFor(deps, operation, target);
  const change = changeOf(operation);
  const newPlan = deps.registry.plans.get(change.planId ?? '');
  const decision = { change, newPlan, parameters: sent.parameters };
  const body = updateBody(target.known, signed(deps, target, sent), decision);
  return client.update({ instanceId: target.row.id, acceptsIncomplete: true, body, ...identityOf(operation) });
}

async function bind(
  deps: EngineDeps,
  operation: OperationRow,
  { target, sent }: { readonly target: BrokerResource; readonly sent: Sent },
): Promise<OsbOutcome> {
  const { binding, known } = target;
  if (binding === undefined) throw new TypeError('only a binding can be bound');
  const client = await clientFor(deps, operation, target);
  const body = bindBody(binding, known, { context: signed(deps, target, sent), parameters: sent.parameters });
  const outcome = await client.bind({
    instanceId: known.instance.id,
    bindingId: binding.id,
    acceptsIncomplete: canBindLater(target),
    body,
    ...identityOf(operation),
  });
  return withoutQuote(outcome, target);
}

const signed = ({ signer }: EngineDeps, { known }: BrokerResource, { context }: Sent): JsonObject =>
  signer === undefined ? context : signer(context, known.instance.id);

/** On whose behalf; clean-up has no originating identity. */
function identityOf(operation: OperationRow): { readonly identity?: string } {
  const { user } = operation.status;
  if (user === undefined || isUnderMitigation(operation)) return {};
  return { identity: originatingIdentity(ownPlatformId, user as JsonObject) };
}

/** A broker without retrievable bindings must bind synchronously: otherwise its credentials could never be fetched. */
const canBindLater = ({ known }: BrokerResource): boolean => known.offering.spec.bindingsRetrievable === true;
