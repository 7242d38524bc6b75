import type { RenderedDocument } from './rendered-document.ts';

/** Rendered documents up to a number of bytes; the least recently used go first. Shared by all logical clusters. */
export class DocumentCache {
  readonly #maxBytes: number;
  readonly #documents = new Map<string, RenderedDocument>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many bytes the kept documents take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The document kept under the key, rendered now if there is none. That there is none to render is not kept. */
  get<T extends RenderedDocument | undefined>(key: string, render: () => T): T | RenderedDocument {
    const known = this.#documents.get(key);
    if (known !== undefined) {
      this.#documents.delete(key);
      this.#documents.set(key, known);
      return known;
    }
    const document = render();
    if (document !== undefined) this.#keep(key, document);
    return document;
  }

  #keep(key: string, document: RenderedDocument): void {
    this.#documents.set(key, document);
    this.#bytes += document.body.length;
    this.#evict();
  }

  #evict(): void {
    for (const [key, { body }] of this.#documents) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#documents.delete(key);
      this.#bytes -= body.length;
    }
  }
}
