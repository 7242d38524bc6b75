import { formatTime, type KubeObject } from '@chandlery/api';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { Endpoint } from '../resources/ownership.ts';
import type { ResourceDeps, Target } from '../resources/request.ts';
import type { ObjectKey } from '../store/store.ts';
import { countRemains, type DrainScope, drain, type Remains } from './drain.ts';
import { DrainWatch } from './drain-watch.ts';
import { keyOfText, type MaintenanceTask, maintenanceMutate, readStored, targetOfKey, textOfKey } from './task.ts';
import type { TaskOutcome } from './task-queue.ts';

/** What differs between the kinds whose objects are emptied before they go. */
export interface DrainPolicy {
  readonly name: string;
  /** `group/plural` of what is emptied: the holders. */
  readonly resource: string;
  /** The key of an object's holder; undefined when it has none, or none waits for it. */
  holderOf(key: ObjectKey): ObjectKey | undefined;
  /** Whether a terminating holder still waits to be emptied. */
  isWaiting(holder: KubeObject): boolean;
  /** What to empty; undefined when the holder does not wait for its contents. */
  contentsOf(holder: KubeObject, key: ObjectKey): DrainScope | undefined | Promise<DrainScope | undefined>;
  /** The holder with a status that says what remains. */
  report(live: KubeObject, remains: Remains, now: string): KubeObject;
  /** Called when nothing is left, before the holder is let go. May be called again. Default: nothing. */
  sweep?(target: Target): Promise<void>;
  /** How the holder is let go. */
  readonly release: { readonly endpoint: Endpoint; readonly change: (live: KubeObject) => KubeObject };
}

/** How long a drain that waits for others waits at most until it looks again. */
const drainAgainMs = 10_000;

/** Empties what is being deleted, says what blocks it, and lets it go. */
export class DrainTask implements MaintenanceTask {
  readonly name: string;
  readonly #deps: ResourceDeps;
  readonly #policy: DrainPolicy;
  readonly #watch = new DrainWatch();

  constructor(deps: ResourceDeps, policy: DrainPolicy) {
    this.name = policy.name;
    this.#deps = deps;
    this.#policy = policy;
  }

  *keysFor(event: FeedEvent): Iterable<string> {
    const { key, type } = event.change;
    if (key.resource === this.#policy.resource) {
      if (type !== 'deleted' && event.object.metadata.deletionTimestamp !== undefined) yield textOfKey(key);
      return;
    }
    const holder = type === 'deleted' ? this.#policy.holderOf(key) : undefined;
    if (holder !== undefined && this.#watch.isWorthALook(textOfKey(holder))) yield textOfKey(holder);
  }

  async work(text: string): Promise<TaskOutcome> {
    const key = keyOfText(text);
    const target = await targetOfKey(this.#deps, key);
    const holder = await readStored(this.#deps, key);
    const isTerminating = holder?.metadata.deletionTimestamp !== undefined;
    if (target === undefined || !isTerminating || !this.#policy.isWaiting(holder)) {
      this.#watch.end(text);
      return {};
    }
    this.#watch.begin(text);
    const remains = await this.#empty(holder, key);
    if (remains.counts.size > 0) return this.#wait(text, target, remains);
    await this.#letGo(target);
    this.#watch.end(text);
    return {};
  }

  async #empty(holder: KubeObject, key: ObjectKey): Promise<Remains> {
    const scope = await this.#policy.contentsOf(holder, key);
    return scope === undefined ? { counts: new Map(), finalizers: new Map() } : drain(this.#deps, scope);
  }

  async #wait(text: string, target: Target, remains: Remains): Promise<TaskOutcome> {
    const now = formatTime(this.#deps.clock.now());
    await maintenanceMutate(this.#deps, target, 'status', live => this.#policy.report(live, remains, now));
    return { again: this.#watch.remains(text, countRemains(remains)) ? 0 : drainAgainMs };
  }

  async #letGo(target: Target): Promise<void> {
    const { endpoint, change } = this.#policy.release;
    await this.#policy.sweep?.(target);
    await maintenanceMutate(this.#deps, target, endpoint, change);
  }
}
