import type { KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Clock } from '@chandlery/platform';
import { createInformer, type Informer, parseKey, type Timers } from '@chandlery/runtime';
import { type Granter, labelKey, labelsFor, selectorForAll } from '../../model/access/access-names.ts';
import { ownedKinds } from '../../model/access/owned-objects.ts';
import { withoutContents } from './without-contents.ts';

export interface TargetsOptions {
  readonly granter: Granter;
  /** Called with the key of each request whose objects on its cluster may have changed. */
  readonly enqueue: (key: string) => void;
  readonly clock?: Clock;
  readonly timers?: Timers;
}

/** A request with objects on a cluster. */
export interface TargetUser {
  /** The key of the request. */
  readonly key: string;
  /** Namespaces that it needs there. */
  readonly namespaces: readonly string[];
}

interface Watched {
  readonly client: Client;
  readonly informers: readonly Informer[];
}

/** A cluster with objects of requests, and its watches. */
interface Target {
  /** By the values of the labels on a request's objects. */
  readonly users: Map<string, TargetUser>;
  watched?: Watched;
}

const namespacesRef: ResourceRef = { group: '', version: 'v1', plural: 'namespaces' };

/** Watches the objects of requests on their clusters: each cluster once, from its first request to its last. */
export class Targets implements AsyncDisposable {
  readonly #options: TargetsOptions;
  readonly #targets = new Map<string, Target>();
  readonly #stopping = new Set<Promise<unknown>>();

  constructor(options: TargetsOptions) {
    this.#options = options;
  }

  /** The number of watched clusters. */
  get size(): number {
    return this.#targets.size;
  }

  /** Records that a request has objects on a cluster, and watches the cluster with the client from now on. */
  use(clusterKey: string, client: Client, user: TargetUser): void {
    const target = this.#targets.get(clusterKey) ?? { users: new Map<string, TargetUser>() };
    this.#targets.set(clusterKey, target);
    target.users.set(this.#labelKey(user.key), user);
    if (target.watched?.client === client) return;
    this.#unwatch(target);
    target.watched = this.#watch(target, client);
  }

  /** Removes a deleted request. */
  release(key: string): void {
    for (const [clusterKey, target] of this.#targets) {
      target.users.delete(this.#labelKey(key));
      if (target.users.size === 0) this.forget(clusterKey);
    }
  }

  /** Removes a deleted cluster. */
  forget(clusterKey: string): void {
    const target = this.#targets.get(clusterKey);
    this.#targets.delete(clusterKey);
    if (target !== undefined) this.#unwatch(target);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const clusterKey of [...this.#targets.keys()]) this.forget(clusterKey);
    await Promise.all(this.#stopping);
  }

  #watch(target: Target, client: Client): Watched {
    const { granter, clock, timers } = this.#options;
    const common = { client, transform: withoutContents, ...(clock && { clock }), ...(timers && { timers }) };
    const owned = ownedKinds.map(({ group, version, plural }) =>
      createInformer({ ...common, ref: { group, version, plural }, labelSelector: selectorForAll(granter) }),
    );
    const namespaces = createInformer({ ...common, ref: namespacesRef });
    for (const informer of owned) listen(informer, object => this.#enqueueOwner(target, object));
    listen(namespaces, object => this.#enqueueUsersOf(target, object.metadata.name ?? ''));
    const informers = [...owned, namespaces];
    for (const informer of informers) informer.start();
    this.#enqueueAllOnceSynced(target, informers);
    return { client, informers };
  }

  /** Enqueues all after the first list: a change between a request's own read and the list causes no event. */
  #enqueueAllOnceSynced({ users }: Target, informers: readonly Informer[]): void {
    Promise.all(informers.map(({ synced }) => synced)).then(
      () => {
        for (const { key } of users.values()) this.#options.enqueue(key);
      },
      // Stopped before it was synced.
      () => undefined,
    );
  }

  #enqueueOwner({ users }: Target, { metadata }: KubeObject): void {
    const user = users.get(labelKey(metadata.labels));
    if (user !== undefined) this.#options.enqueue(user.key);
  }

  #enqueueUsersOf({ users }: Target, namespace: string): void {
    for (const user of users.values()) if (user.namespaces.includes(namespace)) this.#options.enqueue(user.key);
  }

  #unwatch(target: Target): void {
    for (const informer of target.watched?.informers ?? []) {
      const stopped = informer.stop();
      this.#stopping.add(stopped);
      void stopped.finally(() => this.#stopping.delete(stopped));
    }
    target.watched = undefined;
  }

  #labelKey(key: string): string {
    const { namespace = '', name } = parseKey(key);
    return labelKey(labelsFor(this.#options.granter, { namespace, name }));
  }
}

/**
 * Calls back for everything after the first list. For an object that has left the selection, only the previous state
 * names its request.
 */
function listen(informer: Informer, call: (object: KubeObject) => void): void {
  const known = new Map<string | undefined, KubeObject>();
  informer.listen({
    added: object => {
      known.set(object.metadata.uid, object);
      if (informer.isSynced) call(object);
    },
    updated: (object, previous) => {
      known.set(object.metadata.uid, object);
      call(previous);
      call(object);
    },
    deleted: object => {
      call(known.get(object.metadata.uid) ?? object);
      known.delete(object.metadata.uid);
    },
  });
}
