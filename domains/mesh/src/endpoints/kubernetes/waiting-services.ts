import type { ServiceKey } from '../../model/service-name.ts';

/** Services with references that are not in the cache yet. */
export class WaitingServices {
  readonly #services = new Map<string, Set<ServiceKey>>();
  readonly #awaited = new Map<ServiceKey, readonly string[]>();

  /** Replaces the missing references of a service. */
  set(service: ServiceKey, awaited: readonly string[]): void {
    for (const reference of this.#awaited.get(service) ?? []) this.#leave(reference, service);
    if (awaited.length === 0) {
      this.#awaited.delete(service);
      return;
    }
    this.#awaited.set(service, awaited);
    for (const reference of awaited) {
      const services = this.#services.get(reference) ?? new Set();
      this.#services.set(reference, services.add(service));
    }
  }

  /** The services that wait for a reference. */
  of(reference: string): Iterable<ServiceKey> {
    return this.#services.get(reference) ?? [];
  }

  #leave(reference: string, service: ServiceKey): void {
    const services = this.#services.get(reference);
    services?.delete(service);
    if (services?.size === 0) this.#services.delete(reference);
  }
}
