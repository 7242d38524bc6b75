import type { KubeObject } from '@chandlery/api';
import type { WatchEvent } from '@chandlery/client';
import type { ListedCollection } from './list-collection.ts';
import { cacheKeyOf } from './object-cache.ts';

const endAnnotation = 'k8s.io/initial-events-end';

/** Gathers the initial events of a watch, until the bookmark that ends them. */
export class InitialEvents<T extends KubeObject> {
  readonly #objects = new Map<string, T>();

  /** The whole collection once it is complete, else undefined. Changes may come in between. */
  take({ type, object }: WatchEvent<T>): ListedCollection<T> | undefined {
    if (type === 'BOOKMARK')
      return object.metadata.annotations?.[endAnnotation] === 'true' ? this.#all(object) : undefined;
    if (type === 'DELETED') this.#objects.delete(cacheKeyOf(object));
    else this.#objects.set(cacheKeyOf(object), object);
    return undefined;
  }

  #all(bookmark: KubeObject): ListedCollection<T> {
    return { items: [...this.#objects.values()], resourceVersion: bookmark.metadata.resourceVersion ?? '' };
  }
}
