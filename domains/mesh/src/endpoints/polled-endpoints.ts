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
  /** Tells it from the other providers of the mesh. */
  readonly id: string;
  /** Reads the endpoints of all services of the platform, in any order; a service that is left out has none. */
  readonly read: (signal: AbortSignal) => Promise<ReadonlyMap<ServiceKey, readonly Endpoint[]>>;
  /** From the end of a read to the begin of the next. Default 10 000. */
  readonly intervalMs?: number;
  /** How long a read may take. Default 30 000. */
  readonly timeoutMs?: number;
  /** Hears of listeners that throw. Default: nobody. */
  readonly onError?: (error: ChandleryError) => void;
}

/**
 * The endpoints of a platform that is asked time and again. A read that fails, or returns what is no endpoint, changes
 * nothing: the last answer stays, and `staleReason` says why.
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

/** What was read, and nothing for services that are there no longer. */
function allLists(
  read: ReadonlyMap<ServiceKey, readonly Endpoint[]>,
  table: EndpointTable,
): readonly (readonly [ServiceKey, readonly Endpoint[]])[] {
  const gone = [...table.services()].filter(service => !read.has(service));
  const present = [...read].map(([service, endpoints]) => [service, endpoints.map(canonicalEndpoint)] as const);
  return [...gone.map(service => [service, []] as const), ...present];
}
