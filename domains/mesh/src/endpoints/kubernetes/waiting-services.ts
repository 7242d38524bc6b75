import type { ServiceKey } from '../../model/service-name.ts';

/** Services that wait for something that their slices name and that is not known yet. */
export class WaitingServices {
  readonly #services = new Map<string, Set<ServiceKey>>();
  readonly #awaited = new Map<ServiceKey, readonly string[]>();

  /** What the service waits for now, in place of what it waited for before. */
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

  /** Who waits for it. */
  of(thing: string): Iterable<ServiceKey> {
    return this.#services.get(thing) ?? [];
  }

  #leave(thing: string, service: ServiceKey): void {
    const services = this.#services.get(thing);
    services?.delete(service);
    if (services?.size === 0) this.#services.delete(thing);
  }
}
