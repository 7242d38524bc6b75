import { ChandleryError } from '@chandlery/api';
import { serviceKey } from '../model/service-name.ts';
import type { EndpointsProvider } from '../ports/endpoints.ts';
import type { EndpointTable } from './endpoint-table.ts';

/** The parts that differ between providers. */
export interface TableProviderOptions {
  readonly id: string;
  readonly table: EndpointTable;
  /** Resolves when the table is complete for the first time; rejects when it cannot become complete. */
  readonly ready: Promise<void>;
  readonly staleReason: () => string | undefined;
  /** Stops the source of the table. */
  readonly end: () => Promise<void>;
}

/** Creates a provider that serves reads from a table. */
export function createTableProvider({ id, table, ready, staleReason, end }: TableProviderOptions): EndpointsProvider {
  const synced = Promise.withResolvers<void>();
  // Prevents an unhandled rejection when no caller awaits the promise.
  synced.promise.catch(() => undefined);
  let isSynced = false;
  const noteReady = (): void => {
    isSynced = true;
    synced.resolve();
  };
  ready.then(noteReady, () => synced.reject(stopped(id)));
  return {
    id,
    synced: synced.promise,
    get isSynced() {
      return isSynced;
    },
    get staleReason() {
      return staleReason();
    },
    listEndpointsForService: service => table.get(serviceKey(service)),
    listServices: () => table.services(),
    subscribe: listener => table.subscribe(listener),
    async [Symbol.asyncDispose]() {
      table.end();
      synced.reject(stopped(id));
      await end();
    },
  };
}

const stopped = (id: string): ChandleryError =>
  new ChandleryError('Stopped', `the endpoints provider "${id}" was stopped before it was synced`);
