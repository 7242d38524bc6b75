import type { ClusterSource } from '../../ports.ts';

/** What giving access needs of a source. */
export type AccessSource = Pick<ClusterSource, 'connect' | 'address' | 'onChange'>;

/** Listens to every source that is in use, once: certificates change without any resource doing so. */
export class SourceListeners implements Disposable {
  readonly #unlisten = new Map<AccessSource, () => void>();
  readonly #changed: (clusterKey: string) => void;

  constructor(changed: (clusterKey: string) => void) {
    this.#changed = changed;
  }

  add(source: AccessSource): void {
    if (!this.#unlisten.has(source)) this.#unlisten.set(source, source.onChange(this.#changed));
  }

  [Symbol.dispose](): void {
    for (const unlisten of this.#unlisten.values()) unlisten();
    this.#unlisten.clear();
  }
}
