interface Awaited {
  /** Objects of the scope that were deleted since the last scan of it began. */
  deletions: number;
  /** How many were still there at the end of the last look; undefined while one is under way. */
  remaining: number | undefined;
}

/**
 * Says when a scope that is being drained is worth another look: when as many objects were deleted as were left.
 * A scope with ten thousand objects that others have to release is so looked through a few times, not ten thousand.
 */
export class DrainWatch {
  readonly #awaited = new Map<string, Awaited>();

  /** To be called before a look. */
  begin(scope: string): void {
    this.#awaited.set(scope, { deletions: 0, remaining: undefined });
  }

  /** To be called after a scan. True when so many objects were deleted meanwhile that it should be repeated at once. */
  remains(scope: string, count: number): boolean {
    const awaited = this.#awaited.get(scope);
    if (awaited === undefined) return false;
    awaited.remaining = count;
    return awaited.deletions >= count;
  }

  /** To be called when nothing is left. */
  end(scope: string): void {
    this.#awaited.delete(scope);
  }

  /** To be called for every deleted object of any scope. True when its scope is worth a look. */
  isWorthALook(scope: string): boolean {
    const awaited = this.#awaited.get(scope);
    if (awaited === undefined) return false;
    awaited.deletions++;
    return awaited.remaining !== undefined && awaited.deletions >= awaited.remaining;
  }
}
