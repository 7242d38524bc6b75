import type { ServiceKey } from '../model/service-name.ts';
import type { GrantChanges, TopologyChange } from '../ports/mesh-topology.ts';
import type { Unsubscribe } from '../ports/unsubscribe.ts';

/** Collects changes and notifies listeners in a microtask, so that changes of one tick are delivered together. */
export class ChangeNotifier {
  readonly #listeners = new Set<(change: TopologyChange) => void>();
  #services = new Set<ServiceKey>();
  #accounts = new Set<string>();
  #grants = new Map<ServiceKey, ReadonlySet<string>>();
  #isWaiting = false;

  subscribe(listener: (change: TopologyChange) => void): Unsubscribe {
    const entry = (change: TopologyChange): void => listener(change);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  services(keys: Iterable<ServiceKey>): void {
    for (const key of keys) this.#services.add(key);
    this.#schedule();
  }

  accounts(accounts: Iterable<string>): void {
    for (const account of accounts) this.#accounts.add(account);
    this.#schedule();
  }

  grants(changes: GrantChanges): void {
    for (const [service, accounts] of changes)
      this.#grants.set(service, accounts.union(this.#grants.get(service) ?? new Set()));
    this.#schedule();
  }

  /** Removes all listeners. */
  end(): void {
    this.#listeners.clear();
  }

  #schedule(): void {
    if (this.#isWaiting || this.#listeners.size === 0) {
      if (this.#listeners.size === 0) this.#clear();
      return;
    }
    this.#isWaiting = true;
    queueMicrotask(() => this.#notify());
  }

  #notify(): void {
    const change = { services: this.#services, accounts: this.#accounts, grants: this.#grants };
    this.#clear();
    this.#isWaiting = false;
    for (const listener of this.#listeners) listener(change);
  }

  #clear(): void {
    this.#services = new Set();
    this.#accounts = new Set();
    this.#grants = new Map();
  }
}
