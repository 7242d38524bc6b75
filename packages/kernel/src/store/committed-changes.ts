import type { Change, Commit, Delete, Put } from './store.ts';

/**
 * The changes of a group of commits, derived from the commits themselves: an expectation that held states what was there
 * before.
 */
export class CommittedChanges {
  #changes: Change[] | undefined = [];

  /** Takes the commits one after the other, in the order of their revisions. */
  add({ writes }: Commit, firstRevision: number): void {
    for (const [index, write] of writes.entries()) this.#add(write, firstRevision + index);
  }

  /** All of them, consecutive; undefined when there are gaps, or when only the store knows what was there before. */
  get all(): readonly Change[] | undefined {
    return this.#changes;
  }

  #add(write: Put | Delete, revision: number): void {
    const last = this.#changes?.at(-1);
    const follows = last === undefined || revision === last.revision + 1;
    const change = follows ? changeOf(write, revision) : undefined;
    if (change === undefined) this.#changes = undefined;
    else this.#changes?.push(change);
  }
}

function changeOf({ type, key, expect, value }: Put | Delete, revision: number): Change | undefined {
  const { cluster, resource, namespace, name } = key;
  // Callers may pass richer objects as keys.
  const plainKey = { cluster, resource, namespace, name };
  switch (expect.type) {
    case 'absent':
      return { key: plainKey, revision, value, type: 'created' };
    case 'revision':
      return {
        key: plainKey,
        revision,
        value,
        type: type === 'put' ? 'updated' : 'deleted',
        previousRevision: expect.revision,
      };
    case 'present':
    case 'any':
      return undefined;
  }
}
