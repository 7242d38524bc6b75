import type { ClusterSource } from '../../ports.ts';

/** The part of a source that granting access needs. */
export type AccessSource = Pick<ClusterSource, 'connect' | 'address' | 'onChange'>;

/** Listens to every source in use, once: certificates change without a change of any resource. */
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
