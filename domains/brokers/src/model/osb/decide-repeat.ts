import type { JsonObject } from '@chandlery/api';
import { hashParameters } from '../json.ts';
import { isOpen, isUnderMitigation } from '../operations/operation-state.ts';
import type { BindingRow, InstanceRow, OperationRow, PlanRow } from '../rows.ts';
import type { ProvisionRequest } from './instance-request.ts';
import { busy, differentRequest, forward, type RepeatDecision, sameOperation } from './repeat-decision.ts';

/** What is known of the resource that a request is about, and whether its caller can wait. */
interface Known {
  /** The last operation of the resource. */
  readonly operation: OperationRow | undefined;
  readonly acceptsIncomplete: boolean;
}

/** A provision, row by row of the idempotency matrix. A finished one is answered from the record: some brokers forget. */
export function decideProvision(
  known: Known & { readonly instance: InstanceRow | undefined },
  plan: PlanRow,
  request: ProvisionRequest,
): RepeatDecision {
  const { instance, operation, acceptsIncomplete } = known;
  if (instance === undefined) return forward;
  const isSame = isSameProvision(instance, plan, request);
  if (operation !== undefined && isInProgress(operation)) {
    if (operation.spec.type !== 'create' || isUnderMitigation(operation)) return busy;
    return isSame ? sameOperation(operation, acceptsIncomplete, brokerFacts(instance)) : differentRequest(instanceNoun);
  }
  if (!isSame || instance.status.ready !== true) return differentRequest(instanceNoun);
  return { type: 'answer', status: 200, body: brokerFacts(instance) };
}

/** An update. One that has ended may be asked for again: brokers may find that there is nothing to do. */
export function decideUpdate(
  { instance, operation, acceptsIncomplete }: Known & { readonly instance: InstanceRow },
  hash: string,
): RepeatDecision {
  if (operation === undefined || !isInProgress(operation)) return forward;
  const isSame = operation.spec.type === 'update' && operation.spec.requestHash === hash;
  return isSame ? sameOperation(operation, acceptsIncomplete, brokerFacts(instance)) : busy;
}

/**
 * Decides on the deletion of an instance or a binding. During a creation or update the broker decides whether to accept
 * it: the record of operations in progress depends on polls, and a platform that has stopped polling must be able to
 * clean up.
 */
export function decideDelete({ operation, acceptsIncomplete }: Known): RepeatDecision {
  if (operation === undefined || !isInProgress(operation) || operation.spec.type !== 'delete') return forward;
  return sameOperation(operation, acceptsIncomplete);
}

/** A bind. A finished identical one goes to the broker, who alone has the credentials. */
export function decideBind(
  { binding, operation, acceptsIncomplete }: Known & { readonly binding: BindingRow | undefined },
  hash: string,
): RepeatDecision {
  if (binding === undefined) return forward;
  const isSame = binding.status.requestHash === hash;
  if (operation === undefined || !isInProgress(operation)) return isSame ? forward : differentRequest(bindingNoun);
  if (operation.spec.type !== 'create' || isUnderMitigation(operation)) return busy;
  return isSame ? sameOperation(operation, acceptsIncomplete) : differentRequest(bindingNoun);
}

const instanceNoun = 'service instance';
const bindingNoun = 'service binding';

const isInProgress = (operation: OperationRow): boolean => isOpen(operation) || isUnderMitigation(operation);

function isSameProvision({ spec, status }: InstanceRow, plan: PlanRow, request: ProvisionRequest): boolean {
  const { request: first } = status;
  return (
    first !== undefined &&
    spec.planId === plan.id &&
    first.organizationGuid === request.organizationGuid &&
    first.spaceGuid === request.spaceGuid &&
    first.parametersHash === hashParameters(request.parameters)
  );
}

/** What the broker said of a finished instance. */
function brokerFacts({ status }: InstanceRow): JsonObject {
  const { dashboardUrl, metadata } = status;
  return {
    ...(dashboardUrl === undefined ? {} : { dashboard_url: dashboardUrl }),
    ...(metadata === undefined ? {} : { metadata: metadata as JsonObject }),
  };
}
