import { isJsonObject, validateDnsLabel, validateDnsSubdomain } from '@chandlery/api';
import { consumerClusterField, consumerField } from '../../kinds/index.ts';
import type { BrokerRow } from '../rows.ts';

/** Why a binding cannot be made as asked for. */
export interface ConsumerObstacle {
  readonly message: string;
  readonly field: string;
}

/**
 * Returns what is wrong with the service account that `bind_resource` names; undefined when it is valid, or not named.
 * Only of what the landscape itself offers: brokers elsewhere may give the fields another meaning.
 */
export function consumerObstacle(
  broker: Pick<BrokerRow, 'spec'> | undefined,
  bindResource: unknown,
): ConsumerObstacle | undefined {
  const resource = isJsonObject(bindResource) ? bindResource : {};
  const account = resource[consumerField];
  const cluster = resource[consumerClusterField];
  if (broker?.spec.internal === undefined || account === undefined) return undefined;
  if (!isAccount(account)) {
    const message = 'must name a service account: "namespace/name", or "name" alone';
    return obstacle(consumerField, `${message}, not ${JSON.stringify(account)}`);
  }
  if (cluster === undefined || (typeof cluster === 'string' && validateDnsSubdomain(cluster).length === 0))
    return undefined;
  return obstacle(consumerClusterField, `must name the cluster of the service account, not ${JSON.stringify(cluster)}`);
}

const obstacle = (field: string, message: string): ConsumerObstacle => ({
  message: `"bind_resource.${field}" ${message}`,
  field: `bind_resource.${field}`,
});

function isAccount(value: unknown): boolean {
  const parts = typeof value === 'string' ? value.split('/') : [];
  const [name = '', namespace] = parts.toReversed();
  if (parts.length > 2 || validateDnsSubdomain(name).length > 0) return false;
  return namespace === undefined || validateDnsLabel(namespace).length === 0;
}
