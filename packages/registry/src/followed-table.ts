import type { Changes, MemoryTable, TableRow } from './memory-table.ts';

/**
 * Merges two sources into a table: a watch, which delivers everything in the order of revisions but late, and this
 * process' own commits, which are known at once.
 *
 * A state is taken only if it is newer than the present one. Removals by own commits are remembered until the watch has
 * passed them, so that older watch events do not bring the rows back; and the result of a commit is ignored when the
 * watch has passed its revision already.
 */
export class FollowedTable<R extends TableRow> {
  readonly table: MemoryTable<R>;
  /** The watch has delivered everything up to this revision. */
  #position = 0;
  /** Own removals that the watch has not delivered yet, with their revisions. */
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

  /** Begins a list: each {@link put} until {@link endList} is a row that exists, in any order. */
  beginList(): void {
    this.#unlisted = new Set();
    // Rows without an object are in no list.
    for (const { id, uid } of this.table.all()) if (uid !== '') this.#unlisted.add(id);
  }

  /** Ends a list as of this revision: rows that were not listed and are not newer were removed in between. */
  endList(revision: number): Changes<R> {
    const missing = [...(this.#unlisted ?? [])];
    this.#unlisted = undefined;
    const changes = missing.flatMap(id => this.#remove(id, revision));
    this.advance(revision);
    return changes;
  }

  /** Counts a watch event as delivered if the table has this very state, most often because this process wrote it. Returns whether it has. */
  passIfKnown(id: string, revision: number): boolean {
    if (this.table.get(id)?.revision !== revision) return false;
    this.#pass(id, revision);
    return true;
  }

  /** A row as the watch delivers it. */
  put(row: R): Changes<R> {
    const changes = this.#put(row);
    this.#pass(row.id, row.revision);
    return changes;
  }

  /** A removal as the watch delivers it. */
  remove(id: string, revision: number): Changes<R> {
    const changes = this.#remove(id, revision);
    this.advance(revision);
    return changes;
  }

  /** The watch has delivered everything up to a revision. */
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
