import type { Changes, MemoryTable, TableRow } from './table.ts';

/**
 * Makes a table of two sources agree: of a watch, which tells everything in the order of revisions but late, and of
 * this process' own commits, which are known at once.
 *
 * A state is taken only if it is newer than what is there. Rows that a commit of our own removed are remembered until
 * the watch has passed their removal, so that what it tells meanwhile does not bring them back; and what a commit tells
 * is not taken when the watch is further already.
 */
export class FollowedTable<R extends TableRow> {
  readonly table: MemoryTable<R>;
  /** Everything up to this revision has come from the watch. */
  #position = 0;
  /** Our own removals that the watch has not told yet, with their revisions. */
  readonly #removals = new Map<string, number>();
  /** While a list is being read: rows that it has not named yet. */
  #unlisted: Set<string> | undefined;

  constructor(table: MemoryTable<R>) {
    this.table = table;
  }

  get position(): number {
    return this.#position;
  }

  /** A row as this process has written it. */
  putOwn(row: R): Changes<R> {
    if (row.revision <= this.#position) return [];
    this.#unlisted?.add(row.id);
    return this.#put(row);
  }

  /** A removal by this process. */
  removeOwn(id: string, revision: number): Changes<R> {
    if (revision <= this.#position) return [];
    this.#removals.set(id, revision);
    return this.#remove(id, revision);
  }

  /** From now on {@link put} tells of rows that are there, in any order, until {@link endList}. */
  beginList(): void {
    this.#unlisted = new Set();
    // What has no object is in no list.
    for (const { id, uid } of this.table.all()) if (uid !== '') this.#unlisted.add(id);
  }

  /** All rows were listed as of this revision: others that are not newer went while nobody watched. */
  endList(revision: number): Changes<R> {
    const missing = [...(this.#unlisted ?? [])];
    this.#unlisted = undefined;
    const changes = missing.flatMap(id => this.#remove(id, revision));
    this.advance(revision);
    return changes;
  }

  /** The watch tells of a state that may be here already, most often because this process has written it. False when it is not. */
  passIfKnown(id: string, revision: number): boolean {
    if (this.table.get(id)?.revision !== revision) return false;
    this.#pass(id, revision);
    return true;
  }

  /** A row as the watch tells it. */
  put(row: R): Changes<R> {
    const changes = this.#put(row);
    this.#pass(row.id, row.revision);
    return changes;
  }

  /** A removal as the watch tells it. */
  remove(id: string, revision: number): Changes<R> {
    const changes = this.#remove(id, revision);
    this.advance(revision);
    return changes;
  }

  /** The watch has come so far. */
  advance(revision: number): void {
    if (revision <= this.#position) return;
    this.#position = revision;
    for (const [id, removedAt] of this.#removals) {
      // They are about in order: those that are not will be passed a little later.
      if (removedAt > revision) return;
      this.#removals.delete(id);
    }
  }

  #pass(id: string, revision: number): void {
    if (this.#unlisted === undefined) this.advance(revision);
    else this.#unlisted.delete(id);
  }

  #put(row: R): Changes<R> {
    const { id, revision } = row;
    const previous = this.table.get(id);
    const known = previous?.revision ?? this.#removals.get(id) ?? 0;
    return revision <= known ? [] : this.table.putAfter(previous, row);
  }

  #remove(id: string, revision: number): Changes<R> {
    const known = this.table.get(id);
    return known === undefined || known.revision > revision ? [] : this.table.remove(id);
  }
}
