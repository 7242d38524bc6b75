import { toError } from '@chandlery/api';
import { fleetError } from '../../errors.ts';
import type { MetricsQuery } from '../../ports.ts';
import { type FleetResponse, ok, type UserCall } from './call.ts';
import type { HandlerDeps } from './facade-deps.ts';
import { findOwnInstance } from './instances/find-instance.ts';

const maxDurationMinutes = 4320;
const maxIntervalSeconds = 10_800;

type Deps = Pick<HandlerDeps, 'tables' | 'metricsOf'>;

/** Handlers of the metrics of an instance. */
export const metricsHandlers = ({ tables, metricsOf }: Deps) => ({
  queryRange: async (call: UserCall): Promise<FleetResponse> => {
    const durationMinutes = readInteger(call, 'duration', maxDurationMinutes);
    const intervalSeconds = readInteger(call, 'interval', maxIntervalSeconds);
    const query = { ...queryOf(call, tables), durationMinutes, intervalSeconds };
    const series = await ask(() => metricsOf(call.product).queryRange(query));
    const items = series.map(({ metric, values }) => ({
      metric,
      values: values.map(({ timestampMs, value }) => ({ timestamp: timestampMs, value })),
    }));
    return ok({ kind: 'MetricsRangeQueryList', id: query.instanceId, items });
  },

  query: async (call: UserCall): Promise<FleetResponse> => {
    const query = queryOf(call, tables);
    const samples = await ask(() => metricsOf(call.product).query(query));
    const items = samples.map(({ metric, timestampMs, value }) => ({ metric, timestamp: timestampMs, value }));
    return ok({ kind: 'MetricsInstantQueryList', id: query.instanceId, items });
  },

  federate: async (call: UserCall): Promise<FleetResponse> => {
    const query = queryOf(call, tables);
    const body = await ask(() => metricsOf(call.product).federate(query));
    return { status: 200, body, contentType: 'text/plain; version=0.0.4; charset=utf-8' };
  },
});

function queryOf(call: UserCall, tables: Deps['tables']): MetricsQuery {
  const { id, status } = findOwnInstance(call, tables);
  return { instanceId: id, namespace: status.namespace ?? '', filters: call.query.getAll('filters') };
}

/** Reads a required integer. Values outside the documented bounds become the nearest bound. Throws error 21. */
function readInteger({ query }: UserCall, name: string, max: number): number {
  const text = query.get(name) ?? '';
  if (!/^[+-]?\d+$/.test(text)) throw fleetError(21, `Bad request: query parameter ${name} must be an integer`);
  return Math.min(Math.max(Number(text), 1), max);
}

async function ask<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (thrown) {
    throw fleetError(9, 'the metrics of the instance cannot be read now', { cause: toError(thrown) });
  }
}
