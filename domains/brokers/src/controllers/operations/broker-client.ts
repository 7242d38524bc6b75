import { smError } from '../../errors.ts';
import { ownPlatformId } from '../../kinds/index.ts';
import { nameOf } from '../../model/operations/broker-requests.ts';
import { isFromKubernetes, isUnderMitigation } from '../../model/operations/operation-state.ts';
import type { OsbOutcome } from '../../model/outcomes/osb-outcome.ts';
import type { OperationRow } from '../../model/rows.ts';
import { createOsbClient, type OsbClient } from '../../osb-client/osb-client.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { BrokerResource } from './find-target.ts';

/** A client for the requests of one operation. */
export async function clientFor(deps: EngineDeps, operation: OperationRow, target: BrokerResource): Promise<OsbClient> {
  const { broker, row, known } = target;
  return createOsbClient(await deps.connections.of(broker), {
    broker,
    correlationId: operation.spec.correlationId ?? operation.id,
    signal: deps.signal,
    caller: {
      tenant: row.tenant,
      platformId: known.instance.spec.platformId ?? ownPlatformId,
      isMitigation: isMitigation(operation),
    },
  });
}

/** Whether it cleans up after a creation whose instance stays, because an object of the Kubernetes API asked for it. */
const isMitigation = (operation: OperationRow): boolean =>
  operation.spec.type === 'create' && isUnderMitigation(operation) && isFromKubernetes(operation);

/** What a broker says when it has bound may hold credentials, also where it cannot be read: it is not quoted. */
export function withoutQuote(outcome: OsbOutcome, { broker }: BrokerResource): OsbOutcome {
  if (outcome.type !== 'failed' || (outcome.error.facts.brokerStatus ?? 500) >= 300) return outcome;
  const message = `Service broker ${nameOf(broker)} responded with something that is not a binding`;
  return { ...outcome, error: smError('BrokerError', message, outcome.error.facts) };
}
