import type { DatabaseSync } from 'node:sqlite';

interface ClaimingRow {
  readonly id: number;
  readonly unique_keys: string;
}

/**
 * Which object holds which unique key.
 *
 * The claims of an object are written with it; the holder of a key is known here alone, in memory, since no other process
 * writes to the database. A table of all keys would make each creation change one more page, at a random place, which costs as much as
 * all the rest of it.
 */
export class UniqueClaims {
  readonly #database: DatabaseSync;
  /** Undefined: to be read. */
  #holders: Map<string, number> | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The id of the object that holds a key. */
  holder(text: string): number | undefined {
    return this.#known().get(text);
  }

  /** Replaces what an object claims; both are JSON lists, or null. */
  replace(objectId: number, before: string | null, after: string | null): void {
    if (before === after) return;
    const holders = this.#known();
    const now = parse(after);
    // A key may move between two objects of one commit in either order, so a claim overwrites and a release looks first.
    for (const text of parse(before)) {
      if (!now.includes(text) && holders.get(text) === objectId) holders.delete(text);
    }
    for (const text of now) holders.set(text, objectId);
  }

  /** Reads them before they are asked for: of very many objects that takes a while. */
  readAhead(): void {
    this.#known();
  }

  /** To be called when a transaction was rolled back. */
  forget(): void {
    this.#holders = undefined;
  }

  #known(): Map<string, number> {
    this.#holders ??= this.#read();
    return this.#holders;
  }

  #read(): Map<string, number> {
    const holders = new Map<string, number>();
    const rows = this.#database.prepare('SELECT id, unique_keys FROM objects WHERE unique_keys IS NOT NULL').iterate();
    for (const { id, unique_keys } of rows as unknown as Iterable<ClaimingRow>) {
      for (const text of parse(unique_keys)) holders.set(text, id);
    }
    return holders;
  }
}

const parse = (texts: string | null): readonly string[] => (texts === null ? [] : (JSON.parse(texts) as string[]));
