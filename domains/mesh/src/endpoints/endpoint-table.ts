import { type ChandleryError, toError } from '@chandlery/api';
import type { Endpoint } from '../model/endpoint.ts';
import { normalizeEndpoints } from '../model/endpoints/normalize-endpoints.ts';
import type { ServiceKey } from '../model/service-name.ts';
import type { Unsubscribe } from '../ports/unsubscribe.ts';

type Listener = (changed: readonly ServiceKey[]) => void;

const none: readonly Endpoint[] = [];

/** The endpoints of a provider by service, with change notification. */
export class EndpointTable {
  readonly #lists = new Map<ServiceKey, readonly Endpoint[]>();
  /** Replaced instead of modified: a listener that is added during a notification is not called in it. */
  #listeners: readonly Listener[] = [];
  #hasEnded = false;
  readonly #onError: ((error: ChandleryError) => void) | undefined;

  /** A listener that throws does not affect the others. */
  constructor(onError?: (error: ChandleryError) => void) {
    this.#onError = onError;
  }

  get(service: ServiceKey): readonly Endpoint[] {
    return this.#lists.get(service) ?? none;
  }

  services(): Iterable<ServiceKey> {
    return this.#lists.keys();
  }

  /**
   * Replaces the endpoints of services, in any order and with duplicates, and notifies listeners of those that changed.
   */
  replace(lists: Iterable<readonly [service: ServiceKey, endpoints: readonly Endpoint[]]>): void {
    if (this.#hasEnded) return;
    const changed: ServiceKey[] = [];
    for (const [service, endpoints] of lists) if (this.#put(service, endpoints)) changed.push(service);
    if (changed.length > 0) this.#notify(changed);
  }

  subscribe(listener: Listener): Unsubscribe {
    const own: Listener = changed => listener(changed);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter(other => other !== own);
    };
  }

  /** Removes all listeners; the table stays readable. */
  end(): void {
    this.#hasEnded = true;
    this.#listeners = [];
  }

  #put(service: ServiceKey, endpoints: readonly Endpoint[]): boolean {
    const before = this.get(service);
    const after = normalizeEndpoints(endpoints, before);
    if (after === before) return false;
    if (after.length === 0) this.#lists.delete(service);
    else this.#lists.set(service, after);
    return true;
  }

  #notify(changed: readonly ServiceKey[]): void {
    for (const listener of this.#listeners) {
      // An earlier listener may have unsubscribed this one.
      if (!this.#listeners.includes(listener)) continue;
      try {
        listener(changed);
      } catch (thrown) {
        this.#onError?.(toError(thrown));
      }
    }
  }
}
