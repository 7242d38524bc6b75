import type { ServiceKey } from '../model/service-name.ts';
import type { SharedView } from './proxy-view.ts';

interface Entry {
  readonly view: SharedView;
  users: number;
}

const accountOf = ({ scope: { identity } }: SharedView): string => `${identity.namespace}/${identity.serviceAccount}`;

/** The views in use, indexed by what they depend on, so that a change of one service does not visit all views. */
export class ViewIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #byService = new Map<ServiceKey, Set<SharedView>>();
  readonly #byAccount = new Map<string, Set<SharedView>>();
  readonly #whole = new Set<SharedView>();

  get size(): number {
    return this.#entries.size;
  }

  all(): Iterable<SharedView> {
    return [...this.#entries.values()].map(({ view }) => view);
  }

  /** Returns the view of a key, created on first use and removed when all users have released it. */
  acquire(key: string, make: () => SharedView): SharedView {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { view: make(), users: 0 };
      this.#entries.set(key, entry);
      addTo(this.#byAccount, accountOf(entry.view), entry.view);
    }
    entry.users++;
    return entry.view;
  }

  release(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || --entry.users > 0) return;
    const { view } = entry;
    this.#entries.delete(key);
    this.#whole.delete(view);
    removeFrom(this.#byAccount, accountOf(view), view);
    for (const service of view.services) removeFrom(this.#byService, service, view);
  }

  follow(service: ServiceKey, view: SharedView): void {
    addTo(this.#byService, service, view);
  }

  followAll(view: SharedView): void {
    this.#whole.add(view);
  }

  following(service: ServiceKey): Iterable<SharedView> {
    return this.#byService.get(service) ?? [];
  }

  followingAll(): Iterable<SharedView> {
    return this.#whole;
  }

  ofAccount(account: string): Iterable<SharedView> {
    return this.#byAccount.get(account) ?? [];
  }
}

function addTo<Key>(index: Map<Key, Set<SharedView>>, key: Key, view: SharedView): void {
  const views = index.get(key);
  if (views === undefined) index.set(key, new Set([view]));
  else views.add(view);
}

function removeFrom<Key>(index: Map<Key, Set<SharedView>>, key: Key, view: SharedView): void {
  const views = index.get(key);
  views?.delete(view);
  if (views?.size === 0) index.delete(key);
}
