/**
 * Tracks the revision up to which all notifications are handled.
 *
 * A revision is handled when no subject that it enqueued is pending. A stuck revision holds back all later ones, so
 * that resuming from here misses nothing.
 */
export class HandledRevisions {
  /** How many subjects wait because of a revision. */
  readonly #waiting = new Map<number, number>();
  /** Received revisions that are not handled yet. Only a received revision can be resumed from. */
  readonly #received = new Set<number>();
  #handled: number | undefined;

  constructor(handled?: number) {
    this.#handled = handled;
  }

  /** Undefined: nothing yet. */
  get handled(): number | undefined {
    return this.#handled;
  }

  /** A revision has come that makes so many subjects wait. */
  received(revision: number, subjects: number): void {
    this.#received.add(revision);
    if (subjects > 0) this.#waiting.set(revision, (this.#waiting.get(revision) ?? 0) + subjects);
    this.#advance();
  }

  /** Some subject that waited because of these revisions does not wait any more. */
  settled(revisions: Iterable<number>): void {
    for (const revision of revisions) {
      const left = (this.#waiting.get(revision) ?? 0) - 1;
      if (left > 0) this.#waiting.set(revision, left);
      else this.#waiting.delete(revision);
    }
    this.#advance();
  }

  /** Nothing is known any more: everything is to be compared. */
  forget(): void {
    this.#handled = undefined;
    this.#received.clear();
    this.#waiting.clear();
  }

  #advance(): void {
    const earliest = Math.min(...this.#waiting.keys());
    for (const revision of this.#received) {
      if (revision >= earliest) continue;
      this.#received.delete(revision);
      this.#handled = Math.max(this.#handled ?? 0, revision);
    }
  }
}
