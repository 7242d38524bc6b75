import { catalogIds } from '../../model/operations/broker-requests.ts';
import type { OsbChange, OsbOutcome } from '../../model/outcomes/osb-outcome.ts';
import type { OperationRow } from '../../model/rows.ts';
import { clientFor, withoutQuote } from './broker-client.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { BrokerResource } from './find-target.ts';

/** After so many failed fetches in a row the credentials are considered lost. */
const fetchAttempts = 5;

/** Asks how far the broker is. A binding that has come about is fetched at once: only then is it whole. */
export async function pollBroker(
  deps: EngineDeps,
  operation: OperationRow,
  target: BrokerResource,
): Promise<OsbOutcome> {
  const { type } = operation.spec;
  if (type === 'delete') return pollDeletion(deps, operation, target);
  if (target.binding === undefined)
    return poll(deps, operation, { target, verb: type === 'create' ? 'provision' : 'update' });
  const outcome = await poll(deps, operation, { target, verb: 'bind' });
  // A platform that has bound for itself fetches for itself.
  if (outcome.type !== 'succeeded' || target.binding.status.isTracked === true) return outcome;
  return fetchBinding(deps, operation, target);
}

/** Asks how far a deletion is. A broker that does not know the resource any more has deleted it. */
export async function pollDeletion(
  deps: EngineDeps,
  operation: OperationRow,
  target: BrokerResource,
): Promise<OsbOutcome> {
  const outcome = await poll(deps, operation, {
    target,
    verb: target.binding === undefined ? 'deprovision' : 'unbind',
  });
  const isUnknown = 'error' in outcome && outcome.error?.facts.brokerStatus === 404;
  return isUnknown ? { type: 'succeeded', body: {} } : outcome;
}

async function fetchBinding(deps: EngineDeps, operation: OperationRow, target: BrokerResource): Promise<OsbOutcome> {
  const client = await clientFor(deps, operation, target);
  const { instance } = target.known;
  const outcome = await client.fetchBinding({
    instanceId: instance.id,
    bindingId: target.row.id,
    ...catalogIds(target.known),
  });
  if (outcome.type !== 'failed') return outcome;
  const { error } = withoutQuote(outcome, target) as typeof outcome;
  const isHopeless = (operation.status.attempts ?? 0) >= fetchAttempts;
  return isHopeless ? { type: 'failed', error, mitigate: true } : { type: 'retry', error };
}

async function poll(
  deps: EngineDeps,
  operation: OperationRow,
  { target, verb }: { readonly target: BrokerResource; readonly verb: OsbChange },
): Promise<OsbOutcome> {
  const { binding, known } = target;
  const { externalId } = operation.status;
  const client = await clientFor(deps, operation, target);
  const request = {
    instanceId: known.instance.id,
    verb,
    ...catalogIds(known),
    ...(externalId === undefined ? {} : { operation: externalId }),
  };
  return binding === undefined
    ? client.pollInstance(request)
    : client.pollBinding({ ...request, bindingId: binding.id });
}
