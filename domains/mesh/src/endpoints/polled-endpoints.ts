import { setTimeout as pause } from 'node:timers/promises';
import { ChandleryError, toError } from '@chandlery/api';
import { rejectionOf } from '@chandlery/platform';
import type { Endpoint } from '../model/endpoint.ts';
import type { ServiceKey } from '../model/service-name.ts';
import type { EndpointsProvider } from '../ports/endpoints.ts';
import { canonicalEndpoint } from './canonical-endpoint.ts';
import { createTableProvider } from './create-table-provider.ts';
import { EndpointTable } from './endpoint-table.ts';

export interface PolledEndpointsOptions {
  /** Unique among the providers of the mesh. */
  readonly id: string;
  /** Reads the endpoints of all services of the platform, in any order; a missing service has no endpoints. */
  readonly read: (signal: AbortSignal) => Promise<ReadonlyMap<ServiceKey, readonly Endpoint[]>>;
  /** Pause between two reads. Default 10 000. */
  readonly intervalMs?: number;
  /** Timeout of a read. Default 30 000. */
  readonly timeoutMs?: number;
  /** Called with errors of listeners. Default: not called. */
  readonly onError?: (error: ChandleryError) => void;
}

/**
 * Creates a provider that polls its platform. A read that fails, or returns an invalid endpoint, changes nothing: the
 * last data is kept, and `staleReason` has the error.
 */
export function createPolledEndpoints(options: PolledEndpointsOptions): EndpointsProvider {
  const { id, intervalMs = 10_000, timeoutMs = 30_000, onError } = options;
  const table = new EndpointTable(onError);
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  let staleReason: string | undefined;
  const read = async (): Promise<void> => {
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const lists = await Promise.race([options.read(signal), rejectionOf(signal)]);
      table.replace(allLists(lists, table));
      staleReason = undefined;
      ready.resolve();
    } catch (thrown) {
      staleReason = toError(thrown).message;
    }
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await read();
      await pause(intervalMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return createTableProvider({
    ...{ id, table, ready: ready.promise, staleReason: () => staleReason },
    end: () => {
      stop.abort(new ChandleryError('Stopped', `the endpoints provider "${id}" was stopped`));
      return running;
    },
  });
}

/** The lists that were read, and empty ones for services that are missing now. */
function allLists(
  read: ReadonlyMap<ServiceKey, readonly Endpoint[]>,
  table: EndpointTable,
): readonly (readonly [ServiceKey, readonly Endpoint[]])[] {
  const removed = [...table.services()].filter(service => !read.has(service));
  const present = [...read].map(([service, endpoints]) => [service, endpoints.map(canonicalEndpoint)] as const);
  return [...removed.map(service => [service, []] as const), ...present];
}
