import type { ServiceKey } from '../../model/service-name.ts';

/** Services with references that are not in the cache yet. */
export class WaitingServices {
  readonly #services = new Map<string, Set<ServiceKey>>();
  readonly #awaited = new Map<ServiceKey, readonly string[]>();

  /** Replaces the missing references of a service. */
  set(service: ServiceKey, awaited: readonly string[]): void {
    for (const thing of this.#awaited.get(service) ?? []) this.#leave(thing, service);
    if (awaited.length === 0) {
      this.#awaited.delete(service);
      return;
    }
    this.#awaited.set(service, awaited);
    for (const thing of awaited) {
      const services = this.#services.get(thing) ?? new Set();
      this.#services.set(thing, services.add(service));
    }
  }

  /** The services that wait for a reference. */
  of(thing: string): Iterable<ServiceKey> {
    return this.#services.get(thing) ?? [];
  }

  #leave(thing: string, service: ServiceKey): void {
    const services = this.#services.get(thing);
    services?.delete(service);
    if (services?.size === 0) this.#services.delete(thing);
  }
}
