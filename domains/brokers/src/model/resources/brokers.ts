import type { JsonObject } from '@chandlery/api';
import type { BrokerRow } from '../rows.ts';
import { present, rowView, type Viewed } from './resource.ts';

/** A broker as the service manager shows it, without credentials and catalog. One of the landscape itself has `internal`. */
export function brokerView(broker: Viewed<BrokerRow>): JsonObject {
  const { name = broker.id, url, internal, description = '', apiVersion, limits } = broker.spec;
  return {
    ...rowView(broker),
    name,
    broker_url: url ?? `internal:${internal}`,
    description,
    ...present({
      internal,
      api_version: apiVersion ?? broker.status.apiVersion,
      limits: limits === undefined ? undefined : limitsView(limits),
    }),
  };
}

const limitsView = (limits: NonNullable<BrokerRow['spec']['limits']>): JsonObject =>
  present({
    timeout_ms: limits.timeoutMs,
    max_connections: limits.maxConnections,
    max_waiting: limits.maxWaiting,
    calls_per_second: limits.callsPerSecond,
    break_after_failures: limits.breakAfterFailures,
    break_ms: limits.breakMs,
  });
