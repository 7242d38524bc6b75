import type { Informer } from '@chandlery/runtime';
import type { HostImage } from '../../kinds/host-image.ts';
import type { ImageMap } from '../../model/pods/images.ts';

/** What stands for images: empty until it is attached to an API. Made before the node that asks it. */
export class HostImageMap {
  #images: ImageMap = {};

  /** To be given to the node as `images`. */
  readonly images = (): ImageMap => this.#images;

  /** Keeps the map as the HostImages say, and tells of changes. Returns how to stop. */
  attach(informer: Informer<HostImage>, changed: () => void): () => void {
    const renew = (): void => {
      this.#images = toImageMap(informer.list());
      changed();
    };
    return informer.listen({ added: renew, updated: renew, deleted: renew });
  }
}

/** If several stand for the same image, the oldest counts, so that nobody can take an image over. */
export function toImageMap(hostImages: readonly HostImage[]): ImageMap {
  const youngestFirst = hostImages.toSorted((left, right) => (ageKey(left) < ageKey(right) ? 1 : -1));
  return Object.fromEntries(youngestFirst.map(({ spec: { image, ...mapping } }) => [image, mapping]));
}

const ageKey = ({ metadata: { creationTimestamp = '', name = '' } }: HostImage): string =>
  `${creationTimestamp} ${name}`;
