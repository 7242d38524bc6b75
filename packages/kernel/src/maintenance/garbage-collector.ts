import { type KubeObject, type OwnerReference, parseApiVersion } from '@chandlery/api';
import { Pace } from '@chandlery/platform';
import type { FeedEvent } from '../feed/feed-event.ts';
import { foregroundFinalizer, orphanFinalizer } from '../resources/delete.ts';
import { keysOfDependants } from '../resources/dependants.ts';
import { keyOfTarget, type ResourceDeps, type Target } from '../resources/request.ts';
import type { ObjectKey } from '../store/store.ts';
import {
  keyOfText,
  type MaintenanceTask,
  maintenanceDelete,
  maintenanceMutate,
  readStored,
  targetOfKey,
  textOfKey,
  withoutFinalizer,
} from './task.ts';
import type { TaskOutcome } from './task-queue.ts';

type OwnerState = 'present' | 'absent' | 'waiting' | 'unknown';

const maxDependants = 100_000;
const readAtATime = 50;

/** What counts of a dependant for its owner. */
interface Dependant {
  readonly key: ObjectKey;
  /** Whether the owner waits for it in foreground deletion. An object that owns itself does not wait for itself. */
  readonly isBlocking: boolean;
  /** Whether it waits for its own dependants. */
  readonly isWaiting: boolean;
}

/**
 * Deletes what its owners leave behind, by owner references: dependants of vanished owners (background), dependants
 * that an owner waits for (foreground), and cuts the ties of those that may stay (orphan).
 */
export class GarbageCollector implements MaintenanceTask {
  readonly name = 'garbage-collector';
  readonly #deps: ResourceDeps;
  readonly #enqueue: (key: string) => void;

  constructor(deps: ResourceDeps, enqueue: (key: string) => void) {
    this.#deps = deps;
    this.#enqueue = enqueue;
  }

  *keysFor(event: FeedEvent): Iterable<string> {
    const { type, key } = event.change;
    if (type === 'deleted') {
      yield `owner ${key.cluster} ${event.object.metadata.uid} ${key.namespace}`;
      for (const owner of event.object.metadata.ownerReferences ?? []) yield* this.#waitingOwner(key, owner);
      return;
    }
    // Without the quotation mark before them: there are so many that looking for it takes twice as long.
    const isTerminating = event.mentions('deletionTimestamp":');
    if (isTerminating && (event.mentions(foregroundFinalizer) || event.mentions(orphanFinalizer))) {
      yield `terminating ${textOfKey(key)}`;
    }
    // Also when it is changed: it may have been given an owner that no longer exists.
    if (event.mentions('ownerReferences":')) yield `dependant - ${textOfKey(key)}`;
  }

  work(text: string): Promise<TaskOutcome> {
    const [what = '', first = '', ...rest] = text.split(' ');
    switch (what) {
      case 'owner':
        return this.#ownerGone(first, rest[0] ?? '', rest[1] ?? '');
      case 'terminating':
        return this.#ownerTerminating(keyOfText([first, ...rest].join(' ')));
      case 'dependant':
        return this.#dependant(keyOfText(rest.join(' ')), first);
      default:
        throw new TypeError(`the garbage collector does not know what to do with "${text}"`);
    }
  }

  /** An owner in foreground deletion may have waited for just this dependant. */
  *#waitingOwner(dependant: ObjectKey, owner: OwnerReference): Iterable<string> {
    if (owner.blockOwnerDeletion) yield `terminating ${this.#ownerHint(dependant, owner)}`;
  }

  #ownerHint({ cluster, namespace }: ObjectKey, { apiVersion, kind, name }: OwnerReference): string {
    // The resource is found when the key is worked on; here only its kind is known.
    return textOfKey({ cluster, resource: `?${apiVersion}?${kind}`, namespace, name });
  }

  async #ownerGone(cluster: string, uid: string, namespace: string): Promise<TaskOutcome> {
    for (const key of await keysOfDependants(this.#deps.store, { cluster, uid }, maxDependants)) {
      // An owner in a namespace has a say there only.
      if (namespace === '' || key.namespace === namespace) this.#enqueue(`dependant ${uid} ${textOfKey(key)}`);
    }
    return {};
  }

  /** Some are read at a time, and only what counts of them is kept: all of them may be large. */
  async #dependantsOf(cluster: string, uid: string): Promise<readonly Dependant[]> {
    const keys = await keysOfDependants(this.#deps.store, { cluster, uid }, maxDependants);
    const dependants: Dependant[] = [];
    const pace = new Pace();
    for (let start = 0; start < keys.length; start += readAtATime) {
      const some = keys.slice(start, start + readAtATime);
      const objects = await Promise.all(some.map(key => readStored(this.#deps, key)));
      for (const [index, key] of some.entries()) dependants.push(...dependantIn(key, objects[index], uid));
      if (pace.isDue) await pace.rest();
    }
    return dependants;
  }

  async #ownerTerminating(hint: ObjectKey): Promise<TaskOutcome> {
    const target = await this.#resolveHint(hint);
    const owner = target && (await this.#read(target));
    if (target === undefined || owner?.metadata.deletionTimestamp === undefined) return {};
    const finalizers = owner.metadata.finalizers ?? [];
    const dependants = await this.#dependantsOf(target.cluster, owner.metadata.uid ?? '');
    if (finalizers.includes(orphanFinalizer)) {
      for (const { key } of dependants) await this.#cutTies(key, new Set([owner.metadata.uid ?? '']));
      await maintenanceMutate(this.#deps, target, '', live => withoutFinalizer(live, orphanFinalizer));
      return {};
    }
    if (!finalizers.includes(foregroundFinalizer)) return {};
    if (!dependants.some(({ isBlocking }) => isBlocking)) {
      await maintenanceMutate(this.#deps, target, '', live => withoutFinalizer(live, foregroundFinalizer));
      return {};
    }
    for (const { key } of dependants) this.#enqueue(`dependant - ${textOfKey(key)}`);
    return { again: 5000 };
  }

  /**
   * A dependant lives as long as one of its owners does. `deletedUid` is known to be deleted, even if its kind is no longer
   * served and cannot be read; `-` when there is none.
   */
  async #dependant(key: ObjectKey, deletedUid: string): Promise<TaskOutcome> {
    const target = await targetOfKey(this.#deps, key);
    const object = target && (await this.#read(target));
    const owners = object?.metadata.ownerReferences ?? [];
    if (target === undefined || object === undefined || owners.length === 0) return {};
    const states = await Promise.all(
      owners.map(async owner => (owner.uid === deletedUid ? 'absent' : this.#stateOf(target, owner))),
    );
    if (states.includes('unknown')) return {};
    const gone = new Set(owners.filter((_, index) => states[index] !== 'present').map(({ uid }) => uid));
    if (gone.size === 0) return {};
    const isAwaited = states.includes('waiting');
    const isUntied = gone.size < owners.length;
    if (isUntied) await this.#cutTies(key, gone);
    const isUnblocked = !isUntied && (await this.#remove(target, object, isAwaited));
    // Those who waited for it may go now.
    if (isAwaited && (isUntied || isUnblocked))
      for (const owner of owners) this.#enqueue(`terminating ${this.#ownerHint(key, owner)}`);
    return {};
  }

  /** Returns whether owners no longer have to wait for it. */
  async #remove(target: Target, { metadata }: KubeObject, isAwaited: boolean): Promise<boolean> {
    if (metadata.deletionTimestamp !== undefined) return false;
    const own = isAwaited ? await this.#dependantsOf(target.cluster, metadata.uid ?? '') : [];
    // Owners that wait for each other in a circle would wait for ever.
    const isCircle = own.some(dependant => dependant.isWaiting);
    if (isCircle) await this.#unblockOwners(target);
    await maintenanceDelete(this.#deps, target, {
      preconditions: { uid: metadata.uid },
      ...(own.length > 0 ? { propagationPolicy: 'Foreground' } : {}),
    });
    return isCircle;
  }

  #unblockOwners(target: Target): Promise<void> {
    return maintenanceMutate(this.#deps, target, '', live => {
      const ownerReferences = (live.metadata.ownerReferences ?? []).map(owner => ({
        ...owner,
        blockOwnerDeletion: false,
      }));
      return { ...live, metadata: { ...live.metadata, ownerReferences } };
    });
  }

  async #cutTies(key: ObjectKey, owners: ReadonlySet<string>): Promise<void> {
    const target = await targetOfKey(this.#deps, key);
    if (target === undefined) return;
    await maintenanceMutate(this.#deps, target, '', live => {
      const { ownerReferences = [], ...metadata } = live.metadata;
      const kept = ownerReferences.filter(({ uid }) => !owners.has(uid));
      return { ...live, metadata: { ...metadata, ...(kept.length === 0 ? {} : { ownerReferences: kept }) } };
    });
  }

  async #stateOf(dependant: Target, owner: OwnerReference): Promise<OwnerState> {
    const target = await this.#ownerTarget(dependant, owner);
    if (target === undefined) return 'unknown';
    const found = await this.#read(target);
    if (found?.metadata.uid !== owner.uid) return 'absent';
    return isWaiting(found) ? 'waiting' : 'present';
  }

  async #ownerTarget(
    { cluster, namespace }: Pick<Target, 'cluster' | 'namespace'>,
    owner: OwnerReference,
  ): Promise<Target | undefined> {
    const groupVersion = parseApiVersion(owner.apiVersion);
    const kinds = await this.#deps.registry.of(cluster);
    const resource = groupVersion && kinds.resolveKind(groupVersion.group, groupVersion.version, owner.kind);
    if (resource === undefined || (resource.kind.isNamespaced && namespace === '')) return undefined;
    return { cluster, resource, namespace: resource.kind.isNamespaced ? namespace : '', name: owner.name };
  }

  #resolveHint(hint: ObjectKey): Promise<Target | undefined> {
    const [, apiVersion, kind] = hint.resource.split('?');
    if (apiVersion === undefined || kind === undefined) return targetOfKey(this.#deps, hint);
    return this.#ownerTarget(hint, { apiVersion, kind, name: hint.name, uid: '' });
  }

  #read(target: Target): Promise<KubeObject | undefined> {
    return readStored(this.#deps, keyOfTarget(target));
  }
}

function* dependantIn(key: ObjectKey, object: KubeObject | undefined, uid: string): Iterable<Dependant> {
  const ties = object?.metadata.ownerReferences?.filter(reference => reference.uid === uid) ?? [];
  if (object === undefined || ties.length === 0) return;
  const isBlocking = object.metadata.uid !== uid && ties.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  yield { key, isBlocking, isWaiting: isWaiting(object) };
}

/** True while an object waits for its dependants to go first. */
const isWaiting = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(foregroundFinalizer) ?? false);
