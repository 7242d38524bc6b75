/** Listeners for changed clusters. */
export class ChangeListeners {
  readonly #listeners = new Set<(key: string) => void>();

  readonly add = (listener: (key: string) => void): (() => void) => {
    const own = (key: string): void => listener(key);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  notify(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
