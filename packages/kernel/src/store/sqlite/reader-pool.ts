import { Reader } from './reader.ts';

/**
 * Connections for reads that need several statements, or pauses, on one state of the database. Each is lent to one
 * read at a time; as many are opened as are needed at once.
 */
export class ReaderPool implements Disposable {
  readonly #path: string;
  readonly #idle: Reader[] = [];
  readonly #lent = new Set<Reader>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Lends a connection, its state of the database fixed. Disposing gives it back. */
  borrow(): Disposable & { readonly reader: Reader } {
    const reader = this.#idle.pop() ?? new Reader(this.#path);
    this.#lent.add(reader);
    try {
      reader.begin();
    } catch (failure) {
      this.#discard(reader);
      throw failure;
    }
    return { reader, [Symbol.dispose]: () => this.#giveBack(reader) };
  }

  [Symbol.dispose](): void {
    for (const reader of [...this.#idle, ...this.#lent]) reader.close();
    this.#idle.length = 0;
    this.#lent.clear();
  }

  #giveBack(reader: Reader): void {
    if (!this.#lent.delete(reader)) return;
    if (this.#idle.length < maxIdle && reader.end()) this.#idle.push(reader);
    else reader.close();
  }

  #discard(reader: Reader): void {
    this.#lent.delete(reader);
    reader.close();
  }
}

const maxIdle = 4;
