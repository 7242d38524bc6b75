import type { Endpoint } from '../model/endpoint.ts';
import { type ServiceKey, type ServiceName, serviceKey } from '../model/service-name.ts';
import type { EndpointsProvider, Unsubscribe } from '../ports.ts';

/** A healthy endpoint of the cluster `east` by default. */
export const testEndpoint = (ip: string, more: Partial<Endpoint> = {}): Endpoint => ({
  ip,
  port: 80,
  portName: '',
  health: 'healthy',
  cluster: 'east',
  ...more,
});

/** A provider with the endpoints of a test, which notifies its listeners immediately. */
export class TestEndpoints implements EndpointsProvider {
  readonly id: string;
  readonly synced = Promise.resolve();
  readonly isSynced = true;
  readonly staleReason = undefined;
  readonly #known = new Map<ServiceKey, readonly Endpoint[]>();
  readonly #listeners = new Set<(changed: readonly ServiceKey[]) => void>();

  constructor(id: string) {
    this.id = id;
  }

  set(service: ServiceKey, endpoints: readonly Endpoint[]): void {
    this.#known.set(service, endpoints);
    for (const listener of this.#listeners) listener([service]);
  }

  listEndpointsForService(service: ServiceName): readonly Endpoint[] {
    return this.#known.get(serviceKey(service)) ?? [];
  }

  listServices(): Iterable<ServiceKey> {
    return this.#known.keys();
  }

  subscribe(listener: (changed: readonly ServiceKey[]) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }
}
