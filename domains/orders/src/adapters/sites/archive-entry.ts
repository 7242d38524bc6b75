/** An entry of an archive. */
export interface ArchiveEntry {
  /** As the archive has it: not to be trusted. */
  readonly name: string;
  readonly type: 'file' | 'folder' | 'other';
  /** To be read, as a whole, before the next entry is asked for. Nothing for entries that are no files. */
  content(): AsyncIterable<Uint8Array>;
}

/** Returns no bytes. */
export async function* noContent(): AsyncGenerator<Uint8Array> {}
