import type { MeshService } from '../model/mesh-service.ts';
import { parseServiceKey, type ServiceKey, serviceKey } from '../model/service-name.ts';
import type { ServiceDirectory, Unsubscribe } from '../ports.ts';

/** A service directory with the declarations of a test, which notifies its listeners immediately. */
export class TestDirectory implements ServiceDirectory {
  readonly synced = Promise.resolve();
  readonly isSynced = true;
  readonly #services = new Map<ServiceKey, MeshService>();
  readonly #listeners = new Set<(changed: ReadonlySet<ServiceKey>) => void>();

  /** Declares a service with HTTP ports; without ports, deletes it. */
  declare(key: ServiceKey, ...ports: number[]): void {
    const service = parseServiceKey(key) ?? { namespace: '', name: '' };
    const declared = ports.map(port => ({ name: '', port, protocol: 'http' as const }));
    if (ports.length === 0) this.#services.delete(key);
    else this.#services.set(key, { service, ports: declared, addresses: [], clusters: ['east'] });
    for (const listener of this.#listeners) listener(new Set([key]));
  }

  listServices = () => this.#services.values();
  getService: ServiceDirectory['getService'] = service => this.#services.get(serviceKey(service));

  subscribe(listener: (changed: ReadonlySet<ServiceKey>) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }
}
