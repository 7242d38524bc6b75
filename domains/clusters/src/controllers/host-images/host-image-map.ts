import type { Informer } from '@chandlery/runtime';
import type { HostImage } from '../../kinds/host-image.ts';
import type { ImageMap } from '../../model/pods/images.ts';

/** The programs of images: empty until it is attached to an API. Created before the node that uses it. */
export class HostImageMap {
  #images: ImageMap = {};

  /** Passed to the node as `images`. */
  readonly images = (): ImageMap => this.#images;

  /** Keeps the map up to date with the HostImages, and notifies of changes. Returns a function that stops it. */
  attach(informer: Informer<HostImage>, changed: () => void): () => void {
    const renew = (): void => {
      this.#images = toImageMap(informer.list());
      changed();
    };
    return informer.listen({ added: renew, updated: renew, deleted: renew });
  }
}

/** The oldest HostImage of an image counts, so that no client can take an image over. */
export function toImageMap(hostImages: readonly HostImage[]): ImageMap {
  const youngestFirst = hostImages.toSorted((left, right) => (ageKey(left) < ageKey(right) ? 1 : -1));
  return Object.fromEntries(youngestFirst.map(({ spec: { image, ...mapping } }) => [image, mapping]));
}

const ageKey = ({ metadata: { creationTimestamp = '', name = '' } }: HostImage): string =>
  `${creationTimestamp} ${name}`;
